import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite struct LongNameTests {
  private let app = ["--app", "com.example.photo.pro"]

  /// Stores an item as an app does: for apps only the limits of the format count.
  private func store(_ item: GenericPassword, on machine: Machine) throws {
    let plist = try Data(contentsOf: URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro")))
    try Vault.open(.bytes(plist), at: VaultLocation(folder: machine.vault)).set("v", for: item)
  }

  @Test func `On a terminal, long names are shortened in lists; in a pipe and in JSON they are whole`() throws {
    let machine = try Machine.withExamples()
    let long = String(repeating: "näme", count: 1250)
    try store(GenericPassword(service: long, account: long, label: long), on: machine)
    let shown = String(long.prefix(47)) + "…"
    for command in [["list"], ["history", long, long]] {
      let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), command + app)
      #expect(terminal.wait() == 0)
      let lines = terminal.screen.split(separator: "\r\n")
      #expect(lines.count == 2 && lines.allSatisfy { $0.count < 400 } && lines[1].contains(shown), "\(lines)")
      #expect(try machine.succeed("coffer", command + app).contains(long))
    }
    #expect(try machine.json([ItemRow].self, "list").map(\.service) == [long])
    let short = String(repeating: "s", count: 48)
    try machine.succeed("coffer", ["set", short, "a"] + app, input: "v")
    let whole = try PseudoTerminal(machine, "list", short, "--app", "com.example.photo.pro")
    #expect(whole.wait() == 0 && whole.screen.contains(short))
  }

  @Test func `A new item's names have at most 1024 bytes each, which is checked before the value is asked for`() throws
  {
    let machine = try Machine.withExamples()
    // Two bytes each.
    let limit = String(repeating: "é", count: 512)
    try machine.succeed("coffer", ["set", limit, limit, "--label", limit] + app, input: "v")
    let long = limit + "s"
    for arguments in [[long, "a"], ["s", long], ["s", "a", "--label", long], [limit, limit, "--label", long]] {
      let refused = try machine.start("coffer", ["set"] + arguments + app, input: Data("v".utf8)).wait()
      expectFailure(refused, 2, "1025 bytes", "nothing was changed", "1024")
      let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), ["set"] + arguments + app)
      #expect(terminal.wait() == 2 && !terminal.screen.contains("Value of"), "\(terminal.screen)")
    }
    let web = ["set", long, "a", "--class", "internet-password"] + app
    expectFailure(try machine.start("coffer", web, input: Data("v".utf8)).wait(), 2, "1025 bytes", "1024")
    #expect(try machine.json([ItemRow].self, "list").count == 1)
    #expect(try machine.coffer("help", "set").contains("1024 bytes"))
  }

  @Test func `An item with longer names that an app has stored can be read, replaced and deleted`() throws {
    let machine = try Machine.withExamples()
    let long = String(repeating: "s", count: 5000)
    try store(GenericPassword(service: long, account: "a"), on: machine)
    try machine.succeed("coffer", ["set", long, "a"] + app, input: "new")
    #expect(try machine.succeed("coffer", ["get", long, "a"] + app) == "new")
    try machine.succeed("coffer", ["delete", long, "a"] + app)
    #expect(try machine.json([ItemRow].self, "list").isEmpty)
  }
}
