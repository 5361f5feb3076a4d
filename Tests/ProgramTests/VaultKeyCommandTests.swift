import CofferTestSupport
import Foundation
import Testing

@Suite struct VaultKeyCommandTests {
  private let machine: Machine
  private let key: String

  init() throws {
    machine = try Machine()
    key = try machine.makeVault()
  }

  private func text(_ file: String) throws -> String {
    try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
  }

  @Test func `The vault's key opens it, from a file and typed, and is never printed`() throws {
    struct Report: Decodable {
      let opensVault: Bool
      let vaultKeyNumber: Int
    }
    let secret = try text(key)
    let outcome = try machine.run("coffer", "vault-key", "check", "--vault-key-file", key)
    #expect(outcome.exitCode == 0 && outcome.text.contains("opens the vault") && outcome.errors.isEmpty)
    let report = try machine.json(Report.self, "vault-key", "check", "--vault-key-file", key)
    #expect(report.opensVault && report.vaultKeyNumber == 1)
    let terminal = try PseudoTerminal(machine, "vault-key", "check")
    try terminal.await("Vault key: ")
    terminal.type(secret.lowercased().replacing("-", with: " ") + "\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    for shown in [outcome.text, terminal.screen.lowercased()] {
      #expect(!shown.contains(secret.suffix(9)) && !shown.contains(secret.suffix(4).lowercased()))
    }
  }

  @Test func `A mistyped key, the key of another vault and other text are told apart, and change nothing`() throws {
    let other = try Machine()
    let secret = try text(key)
    let last = secret.last == "0" ? "1" : "0"
    let wrong: [(String, String, String)] = [
      ("mistyped", String(secret.dropLast()) + last, "its checksum does not match"),
      ("other", try text(other.makeVault()), "this vault key does not open this vault"),
      ("short", String(secret.dropLast(5)), "this is not a vault key"),
      ("passphrase", "correct horse", "this is not a vault key"),
    ]
    for (name, text, message) in wrong {
      let file = try machine.directory.write(name, text)
      let outcome = try machine.run("coffer", "vault-key", "check", "--vault-key-file", file)
      expectFailure(outcome, 5, message)
      #expect(outcome.output.isEmpty && !outcome.errors.contains(text), "\(outcome)")
    }
  }

  @Test func `A typed key can be corrected twice`() throws {
    let secret = try text(key)
    for (last, exitCode) in [("\(secret)\n", Int32(0)), ("nonsense\n", 5), ("\u{3}", 5)] {
      let terminal = try PseudoTerminal(machine, "vault-key", "check")
      for keys in ["nonsense\n", "COFFER1-0000-0000-0000-0000-0000-0000-0000-0000\n", last] {
        try terminal.await("Vault key: ")
        terminal.type(keys)
      }
      #expect(terminal.wait() == exitCode && terminal.screen.contains("checksum"), "\(terminal.screen)")
    }
    let outcome = try machine.run("coffer", "vault-key", "check", wrapper: ["setsid", "--wait"])
    expectFailure(outcome, 5, "no terminal", "--vault-key-file")
  }

  @Test func `Neither a passphrase nor a log that can be folded is needed, but a root slot is`() throws {
    let store = machine.vault.appending(path: "store.sqlite").path
    try machine.coffer(
      "passphrase", "set", "--new-passphrase-file", machine.directory.write("passphrase", "a passphrase"))
    try Command.run("sqlite3", store, "UPDATE log SET entry = zeroblob(length(entry)) WHERE sequence = 2")
    try machine.coffer("vault-key", "check", "--vault-key-file", key)
    try Command.run("sqlite3", store, "UPDATE vault SET root_slot = zeroblob(length(root_slot))")
    // Nobody is asked for a key that cannot be checked.
    expectFailure(try machine.run("coffer", "vault-key", "check"), 6, "root slot", "coffer check --repair")
    expectFailure(try Machine().run("coffer", "vault-key", "check"), 1, "there is no vault")
  }

  /// Only root can read the memory of other processes wherever the kernel is hardened.
  @Test(.enabled(if: geteuid() == 0 && FileManager.default.fileExists(atPath: "/proc/self/mem")))
  func `A vault key that was typed is not in the memory of the program, whatever was wrong with it`() throws {
    let stranger = try Machine()
    let other = try text(stranger.makeVault())
    let secret = try text(key)
    let mistyped = String(secret.dropLast()) + (secret.last == "0" ? "1" : "0")
    let terminal = try PseudoTerminal(machine, "vault-key", "check")
    try terminal.await("Vault key: ")
    let memory = try ProcessMemory(ofCofferOn: machine)
    for keys in [mistyped, other] {
      terminal.type("\(keys)\n")
      try terminal.await("Vault key: ")
      for form in [keys, keys.replacing("-", with: "").replacing("O", with: "0")] {
        #expect(try memory.count(of: form) == 0)
      }
    }
    terminal.type("\(secret)\n")
    #expect(terminal.wait() == 0, "\(terminal.screen)")
  }
}
