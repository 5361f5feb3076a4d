import CofferTestSupport
import Foundation
import Testing

/// What commands say of their effect, and what to do next.
@Suite struct NextStepTests {
  @Test func `A sync names the conflict that it brings, until a write ends it`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("a", "1")
    try suite.desktop.set("a", "2")
    #expect(try !suite.laptop.coffer("sync").contains("conflict"))
    let brought = try suite.desktop.coffer("sync")
    #expect(
      brought.contains("  conflict: 1 item was changed on two machines at once; compare with: coffer conflicts"),
      "\(brought)")
    #expect(try suite.laptop.coffer("sync").contains("coffer conflicts"))
    try suite.laptop.set("a", "3")
    #expect(try !suite.laptop.coffer("sync").contains("conflict"))
    #expect(try !suite.desktop.coffer("sync").contains("conflict"))
  }

  @Test func `The preview of a removal counts items that were not synced, and rotate is the next step`() throws {
    let suite = try TwoMachines()
    for account in ["one", "two"] { try suite.laptop.set(account, "v") }
    let terminal = try PseudoTerminal(suite.laptop, "app", "remove", app)
    try terminal.await("Go on?")
    #expect(terminal.screen.contains("Items that could be read: 2;"), "\(terminal.screen)")
    terminal.type("y\n")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.contains("List what to replace now with: coffer rotate"), "\(terminal.screen)")
    #expect(try suite.laptop.coffer("rotate").split(separator: "\n").count == 3)
  }

  @Test func `A machine that is enrolled anew names its former identity and the command that removes it`() throws {
    let suite = try TwoMachines()
    let passphrase = try suite.laptop.directory.write("new", "new passphrase")
    let outcome = try suite.laptop.run(
      "coffer", "passphrase", "set", "--forgotten", "--vault-key-file", suite.key, "--new-passphrase-file", passphrase)
    #expect(outcome.errors.contains("laptop is still an admin of the vault."), "\(outcome)")
    let command = try #require(outcome.errors.firstMatch(of: /remove it with: coffer (device revoke laptop)\n/)).1
    let arguments = command.split(separator: " ").map(String.init) + ["--yes", "--vault-key-file", suite.key]
    try suite.laptop.succeed("coffer", arguments)
    let machines = try suite.laptop.coffer("device", "list")
    let names = machines.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(!names.contains("laptop"), "\(machines)")
    try suite.desktop.sync()
    try suite.laptop.set("after", "1")
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.values()["after"] == "1")
  }

  @Test func `The only machine says how its vault is removed`() throws {
    let machine = try Machine()
    let key = try machine.makeVault()
    let outcome = try machine.run("coffer", "device", "revoke", "laptop", "--yes", "--vault-key-file", key)
    #expect(outcome.exitCode == 2 && outcome.errors.contains("delete the folder \(machine.vault.path)"), "\(outcome)")
  }

  @Test func `remote remove forgets the remote, and a later one gets everything`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("a", "1")
    try suite.laptop.sync()
    let removed = try suite.laptop.coffer("remote", "remove")
    #expect(removed.contains("no remote any more") && removed.contains(suite.remote.path), "\(removed)")
    #expect(try suite.laptop.run("coffer", "remote", "show").exitCode == 3)
    #expect(try suite.laptop.run("coffer", "remote", "remove").exitCode == 3)
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 2 && sync.errors.contains("this vault has no remote"), "\(sync)")
    try suite.laptop.set("b", "2")
    #expect(try suite.laptop.values() == ["a": "1", "b": "2"])
    // The old remote again, and then another one.
    try suite.laptop.coffer("remote", "set", suite.remote.path)
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == ["a": "1", "b": "2"])
    try suite.laptop.coffer("remote", "remove")
    let other = try TemporaryRemote()
    try suite.laptop.coffer("remote", "set", other.path)
    try suite.laptop.sync()
    try suite.desktop.coffer("remote", "set", other.path)
    let compared = try suite.desktop.run("coffer", "sync")
    #expect(compared.exitCode == 0 && compared.text.hasPrefix("Up to date"), "\(compared)")
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
  }

  @Test func `remote show --json prints the remote and its options`() throws {
    let suite = try TwoMachines()
    struct Report: Decodable {
      let url: String
      let allowsInsecureHTTP: Bool
      let certificateAuthorityFile: String?
    }
    let text = try suite.laptop.coffer("remote", "show", "--json")
    let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    #expect(report.url == suite.remote.path && !report.allowsInsecureHTTP && report.certificateAuthorityFile == nil)
  }
}
