import CofferTestSupport
import Foundation
import Testing

/// What is wrong with a command line is said before the user types a secret.
@Suite struct PromptOrderTests {
  /// A machine that has a passphrase, with the app PhotoPro, which needs it, and PhotoFree, which does not.
  private struct LockedMachine {
    let machine: Machine
    let key: String

    init() throws {
      machine = try Machine()
      key = machine.directory.path("key")
      let file = try machine.directory.write("passphrase", "correct horse")
      try machine.coffer("init", "--name", "laptop", "--vault-key-file", key, "--passphrase-file", file)
      let plists = [(["--locked"], "PhotoPro"), ([], "PhotoFree")]
      for (options, name) in plists {
        try machine.succeed(
          "coffer", ["app", "add", "--passphrase-file", file, Machine.entitlements(of: name)] + options)
      }
    }
  }

  /// Expects that a command fails on a terminal, with one line that contains `part`, and asks for nothing.
  private func expectNoPrompt(
    _ machine: Machine, _ arguments: [String], _ exitCode: Int32, _ part: String,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), arguments)
    // A prompt would wait for ever.
    try terminal.await("coffer: ")
    let code = terminal.wait()
    #expect(code == exitCode, "\(arguments) \(terminal.screen)", sourceLocation: location)
    let lines = terminal.screen.split(separator: "\r\n")
    #expect(lines.count == 1 && lines[0].contains(part), "\(terminal.screen)", sourceLocation: location)
  }

  @Test func `Commands for items check app, group and right before the passphrase and the value`() throws {
    let machine = try LockedMachine().machine
    for command in ["set", "get", "delete"] {
      try expectNoPrompt(
        machine, [command, "s", "a", "--group", "nothing"], 4, "no app of this vault has the access group")
      try expectNoPrompt(
        machine, [command, "s", "a", "--group", "com.example.photo.free", "--app", "com.example.photo.pro"], 4,
        "not entitled")
      try expectNoPrompt(machine, [command, "s", "a", "--app", "com.example.none"], 4, "registered are")
    }
    try expectNoPrompt(machine, ["list", "--group", "nothing"], 4, "no app of this vault has the access group")
    try expectNoPrompt(
      machine, ["set", "s", "a", "--group", "com.example.photo.purchases", "--app", "com.example.photo.free"], 4,
      "not write it")
  }

  @Test func `app add and app install check plist and registration before the passphrase`() throws {
    let machine = try LockedMachine().machine
    let narrow = try machine.plist("com.example.photo.pro", groups: ["~com.example.photo.pro"], as: "narrow")
    let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), ["app", "add", narrow])
    try terminal.await("Go on? [y/N]")
    #expect(!terminal.screen.contains("assphrase") && terminal.screen.contains("loses:"), "\(terminal.screen)")
    terminal.type("n\r")
    #expect(terminal.wait() == 5 && terminal.screen.contains("nothing was changed"), "\(terminal.screen)")
    let malformed = try machine.directory.write("malformed", "<plist><dict></plist>")
    try expectNoPrompt(machine, ["app", "add", malformed], 4, "malformed")
    try expectNoPrompt(machine, ["app", "add", machine.directory.path("none")], 2, "none")
    try expectNoPrompt(machine, ["app", "install", "com.example.none"], 4, "registered are")
    let admin = machine.vault.appending(path: "admin")
    try FileManager.default.removeItem(at: admin)
    try expectNoPrompt(machine, ["app", "add", Machine.entitlements(of: "PhotoPro")], 4, "no admin keys")
  }

  @Test func `init checks name and key file before the new passphrase`() throws {
    let machine = try Machine()
    try expectNoPrompt(machine, ["init", "--name", "a\nb"], 2, "--name")
    let taken = try machine.directory.write("taken", "x")
    try expectNoPrompt(machine, ["init", "--vault-key-file", taken], 2, "already exists")
    let lost = machine.directory.path("nowhere/key")
    try expectNoPrompt(machine, ["init", "--vault-key-file", lost], 1, "cannot write the vault key")
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
    try machine.makeVault()
    try expectNoPrompt(machine, ["init"], 1, "there is a vault")
  }

  @Test func `clone checks name, URL, repository and key file before it asks for anything`() throws {
    let source = try LockedMachine()
    let machine = source.machine
    let remote = machine.directory.path("vault.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try machine.coffer("remote", "set", remote)
    let other = try Machine()
    func expectRefusal(_ arguments: [String], _ exitCode: Int32, _ part: String) throws {
      try expectNoPrompt(other, ["clone"] + arguments, exitCode, part)
    }
    try expectRefusal([remote], 6, "contains no vault")
    try machine.coffer("sync")
    try expectRefusal([remote, "--name", "a\nb"], 2, "--name")
    try expectRefusal(["ftp://example.com/vault.git"], 2, "has an unknown scheme")
    try expectRefusal([remote + ".none"], 7, "no git repository at \(remote).none; check the path")
    try expectRefusal([remote, "--vault-key-file", other.directory.path("none")], 2, "cannot read the vault key")
    let malformed = try other.directory.write("malformed", "COFFER1")
    try expectRefusal([remote, "--vault-key-file", malformed], 5, "not a vault key")
    let foreign = try Machine().makeVaultKey()
    let wrong = try other.directory.write("wrong", foreign)
    try expectRefusal([remote, "--vault-key-file", wrong], 5, "does not open this vault")
    #expect(other.files().isEmpty)

    // At a prompt, a wrong key can be corrected, before the new passphrase is chosen.
    let terminal = try PseudoTerminal(other, "clone", "--name", "desktop", remote)
    for (key, refusal) in [("COFFER1", "not a vault key"), (foreign, "does not open this vault")] {
      try terminal.await("Vault key: ")
      terminal.type(key + "\n")
      try terminal.await(refusal)
    }
    try terminal.await("Vault key: ")
    terminal.type(try String(contentsOfFile: source.key, encoding: .utf8))
    for prompt in ["New passphrase for this machine: ", "Once more: "] {
      try terminal.await(prompt)
      terminal.type("staple\n")
    }
    #expect(terminal.wait() == 0, "\(terminal.screen)")
    #expect(
      terminal.screen.contains("If the phrases differ after both machines synced, do not trust this repository."))
    let list = try PseudoTerminal(other, "list")
    try list.await("Passphrase of desktop (owner access; `coffer unlock` asks once): ")
    list.type("staple\n")
    #expect(list.wait() == 0, "\(list.screen)")
  }

  @Test func `Without a terminal, clone says so before it uses the network`() throws {
    let machine = try Machine()
    let nowhere = machine.directory.path("nowhere.git")
    for (options, advice) in [
      (["--no-passphrase"], "--vault-key-file"), (["--vault-key-file", "KEY"], "--no-passphrase"),
    ] {
      let key = try Machine().makeVaultKey()
      let file = try machine.directory.write("key", key)
      let outcome = try machine.start(
        "coffer", ["clone", nowhere] + options.map { $0 == "KEY" ? file : $0 }, wrapper: ["setsid", "--wait"]
      ).wait()
      expectFailure(outcome, 5, "there is no terminal", advice)
    }
  }
}

extension Machine {
  /// Creates a vault and returns its key.
  fileprivate func makeVaultKey() throws -> String {
    try String(contentsOfFile: makeVault(), encoding: .utf8).trimmingCharacters(in: .newlines)
  }
}
