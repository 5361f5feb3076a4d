import CofferTestSupport
import Foundation
import Testing

@Suite struct VaultKeyRotateCommandTests {
  private let machine: Machine
  private let key: String

  init() throws {
    machine = try Machine()
    key = try machine.makeVault()
    try machine.register("PhotoPro")
  }

  private func text(_ file: String) throws -> String {
    try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  private func expectOpens(_ file: String, number: Int) throws {
    #expect(try machine.coffer("vault-key", "check", "--vault-key-file", file).contains("number \(number)"))
  }

  @Test func `A new vault key in a file is not printed, and the report in JSON has everything else`() throws {
    struct Report: Decodable {
      let vaultKeyNumber: Int
      let newVaultKeyFile: String
      let groups: [String]
      let machines: [String]
      let headPhrase: String
    }
    let new = machine.directory.path("new-key")
    let report = try machine.json(
      Report.self, "vault-key", "rotate", "--vault-key-file", key, "--new-vault-key-file", new)
    #expect(report.vaultKeyNumber == 2 && report.newVaultKeyFile == new && report.machines == ["laptop"])
    #expect(report.groups.count == 2 && report.headPhrase.split(separator: "-").count == 6)
    try expectOpens(new, number: 2)
    let mode = try FileManager.default.attributesOfItem(atPath: new)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let last = machine.directory.path("last-key")
    let outcome = try machine.run(
      "coffer", "vault-key", "rotate", "--vault-key-file", new, "--new-vault-key-file", last)
    #expect(
      outcome.exitCode == 0 && outcome.text.contains("number 3") && outcome.text.contains("Head phrase"), "\(outcome)")
    for shown in [outcome.text, outcome.errors] { #expect(try !shown.contains(text(last).suffix(9))) }
    try expectOpens(last, number: 3)
  }

  @Test func `On a terminal, the new vault key is shown once, and counts after it is confirmed to be written down`()
    throws
  {
    let secret = try text(key)
    var shown: [String] = []
    for (answer, exitCode) in [("n\n", Int32(5)), ("y\n", 0)] {
      let terminal = try PseudoTerminal(machine, "vault-key", "rotate")
      try terminal.await("Vault key: ")
      terminal.type("\(secret)\n")
      try terminal.await("Is it written down?")
      let found = try #require(terminal.screen.firstMatch(of: /COFFER1(-[0-9A-Z]{4}){8}/)?.output.0)
      #expect(found != secret && !terminal.screen.contains(secret))
      shown.append(String(found))
      try expectOpens(key, number: 1)
      terminal.type(answer)
      #expect(terminal.wait() == exitCode, "\(terminal.screen)")
      #expect(terminal.screen.split(separator: found).count == 2)
      #expect(terminal.screen.contains(exitCode == 0 ? "was replaced" : "nothing was changed"), "\(terminal.screen)")
    }
    #expect(shown[0] != shown[1])
    let files = try shown.enumerated().map { try machine.directory.write("shown-\($0.offset)", $0.element) }
    try expectOpens(files[1], number: 2)
    for (file, message) in [(key, "was replaced on"), (files[0], "does not open this vault")] {
      expectFailure(try machine.run("coffer", "vault-key", "check", "--vault-key-file", file), 5, message)
    }
  }

  @Test func `A wrong vault key, a file that exists and a missing answer change nothing and show no new key`() throws {
    let stranger = try Machine()
    defer { withExtendedLifetime(stranger) {} }
    let other = try stranger.makeVault()
    let taken = try machine.directory.write("taken", "text")
    let new = machine.directory.path("new-key")
    expectFailure(
      try machine.run("coffer", "vault-key", "rotate", "--vault-key-file", other, "--new-vault-key-file", new), 5,
      "does not open this vault")
    expectFailure(
      try machine.run("coffer", "vault-key", "rotate", "--vault-key-file", key, "--new-vault-key-file", taken), 2,
      "already exists", "nothing was changed")
    expectFailure(
      try machine.run("coffer", "vault-key", "rotate", "--vault-key-file", key), 2, "nobody can be asked",
      "--new-vault-key-file")
    expectFailure(
      try machine.run("coffer", "vault-key", "rotate", "--vault-key-file", key, "--json"), 2,
      "--json requires --new-vault-key-file")
    expectFailure(
      try machine.run("coffer", "vault-key", "rotate", "--new-vault-key-file", new, wrapper: ["setsid", "--wait"]), 5,
      "no terminal", "--vault-key-file")
    #expect(!FileManager.default.fileExists(atPath: new))
    #expect(try text(taken) == "text")
    try expectOpens(key, number: 1)
    let printed = try machine.run("coffer", "vault-key", "rotate", "--vault-key-file", key, "--yes")
    let shown = try #require(printed.text.firstMatch(of: /COFFER1(-[0-9A-Z]{4}){8}/)?.output.0)
    try expectOpens(machine.directory.write("printed", String(shown)), number: 2)
  }

  @Test func `Items stay readable and writable through rotations, with every version`() throws {
    try machine.coffer("set", "service", "account", "--app", "com.example.photo.pro", input: "one")
    var current = key
    for number in 2...4 {
      let next = machine.directory.path("key-\(number)")
      try machine.coffer("vault-key", "rotate", "--vault-key-file", current, "--new-vault-key-file", next)
      #expect(
        try machine.coffer("get", "service", "account", "--app", "com.example.photo.pro")
          == (number == 2 ? "one" : "\(number - 1)"))
      try machine.coffer("set", "service", "account", "--app", "com.example.photo.pro", input: "\(number)")
      current = next
    }
    let history = try machine.coffer("history", "service", "account", "--app", "com.example.photo.pro")
    #expect(history.split(separator: "\n").count >= 4, "\(history)")
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
    #expect(try machine.coffer("log", "--verify").contains("Verified: "))
  }
}
