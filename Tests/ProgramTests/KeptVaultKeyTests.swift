import CofferTestSupport
import Foundation
import Testing

/// The vault key of a vault that was created when nobody could write it down.
@Suite struct KeptVaultKeyTests {
  private func machine() throws -> Machine {
    let machine = try Machine()
    try machine.coffer("set", "github.com", "jane", input: "s3cret")
    return machine
  }

  @Test func `The vault key is shown once, opens the vault, and is then not kept`() throws {
    let machine = try machine()
    #expect(try machine.coffer("status").contains("coffer vault-key show"))
    #expect(try machine.json(StatusReport.self, "status").keepsVaultKey)
    expectFailure(try machine.run("coffer", "vault-key", "show"), 2, "nobody can be asked")
    let file = machine.directory.path("key")
    try machine.coffer("vault-key", "show", "--vault-key-file", file)
    try machine.coffer("vault-key", "check", "--vault-key-file", file)
    #expect(try !machine.coffer("status").contains("vault-key show"))
    expectFailure(try machine.run("coffer", "vault-key", "show", "--yes"), 3, "does not keep the vault key")
    let key = try String(contentsOfFile: file, encoding: .utf8)
    #expect(key.hasPrefix("COFFER1-"))
    for file in machine.files() { #expect(try Data(contentsOf: file).range(of: Data(key.utf8)) == nil) }
  }

  @Test func `Whoever does not say that the key is written down keeps it`() throws {
    let machine = try machine()
    let terminal = try PseudoTerminal(machine, "vault-key", "show")
    try terminal.await("Is it written down?")
    terminal.type("n\n")
    #expect(terminal.wait() == 5, "\(terminal.screen)")
    let again = try PseudoTerminal(machine, "vault-key", "show")
    try again.await("Is it written down?")
    again.type("y\n")
    #expect(again.wait() == 0, "\(again.screen)")
    expectFailure(try machine.run("coffer", "vault-key", "show", "--yes"), 3, "does not keep")
  }

  @Test func `A passphrase that is set later protects the kept key, too`() throws {
    let machine = try machine()
    let passphrase = try machine.directory.write("passphrase", "correct horse")
    try machine.coffer("passphrase", "set", "--new-passphrase-file", passphrase)
    expectFailure(
      try machine.run("coffer", "vault-key", "show", "--yes", wrapper: ["setsid", "--wait"]), 5, "passphrase")
    let file = machine.directory.path("key")
    try machine.coffer("vault-key", "show", "--vault-key-file", file, "--passphrase-file", passphrase)
    try machine.coffer("vault-key", "check", "--vault-key-file", file)
  }

  @Test func `Setting a remote, and replacing the key, remind of a key that is not written down`() throws {
    let machine = try machine()
    let remote = machine.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    let set = try machine.run("coffer", "remote", "set", remote)
    #expect(set.exitCode == 0 && set.errors.contains("coffer vault-key show"), "\(set)")
    expectFailure(
      try machine.run("coffer", "vault-key", "rotate", "--yes"), 2, "still keeps", "coffer vault-key show")
    let file = machine.directory.path("key")
    try machine.coffer("vault-key", "show", "--vault-key-file", file)
    #expect(try machine.run("coffer", "remote", "set", remote).errors.isEmpty)
    try machine.coffer("sync")
    let other = try Machine()
    try other.coffer("clone", "--no-passphrase", "--vault-key-file", file, remote)
    #expect(try other.run("coffer", "sync").exitCode == 0)
    #expect(try other.coffer("get", "github.com", "jane") == "s3cret")
  }

  @Test func `A kept key that another machine has replaced is deleted, and commands ask for the new one`() throws {
    let (laptop, desktop) = (try machine(), try Machine())
    let remote = laptop.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try laptop.coffer("remote", "set", remote)
    try laptop.coffer("sync")
    // Its owner has written it down, and has not said so.
    let (old, new) = (laptop.directory.path("old"), laptop.directory.path("new"))
    try laptop.copied().coffer("vault-key", "show", "--vault-key-file", old)
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", old, remote)
    try desktop.coffer("vault-key", "rotate", "--vault-key-file", old, "--new-vault-key-file", new)
    #expect(try laptop.coffer("status").contains("coffer vault-key show"))
    try laptop.coffer("sync")
    let status = try laptop.coffer("status")
    #expect(!status.contains("not written down") && status.contains("number 2, since"), "\(status)")
    #expect(try !laptop.json(StatusReport.self, "status").keepsVaultKey)

    let showing = try laptop.copied()
    expectFailure(try showing.run("coffer", "vault-key", "show", "--yes"), 5, "was replaced on")
    expectFailure(try showing.run("coffer", "vault-key", "show", "--yes"), 3, "does not keep the vault key")
    let setting = try laptop.copied()
    for isFirst in [true, false] {
      let set = try setting.run("coffer", "remote", "set", remote)
      #expect(set.exitCode == 0 && !set.errors.contains("not written down"), "\(set)")
      #expect(set.errors.contains("was replaced on") == isFirst, "\(set)")
      #expect(!FileManager.default.fileExists(atPath: setting.vault.appending(path: "vault-key").path))
    }
    let saving = try laptop.copied()
    let passphrase = try laptop.directory.write("passphrase", "five random words in a row")
    let backup = ["backup", "create", "--backup-passphrase-file", passphrase, laptop.directory.path("backup")]
    let unasked = try saving.start("coffer", backup, wrapper: ["setsid", "--wait"]).wait()
    #expect(unasked.exitCode == 5 && unasked.errors.contains("give --vault-key-file"), "\(unasked)")
    try saving.succeed("coffer", backup + ["--vault-key-file", new])
    let last = laptop.directory.path("last")
    try laptop.coffer("vault-key", "rotate", "--vault-key-file", new, "--new-vault-key-file", last)
    try laptop.coffer("vault-key", "check", "--vault-key-file", last)
  }

  @Test func `A machine that is enrolled anew keeps no key, also if that is interrupted`() throws {
    let machine = try machine()
    let (key, new) = (machine.directory.path("key"), machine.directory.path("new"))
    let passphrase = try machine.directory.write("passphrase", "correct horse")
    try machine.copied().coffer("vault-key", "show", "--vault-key-file", key)
    let killed = try machine.run(
      "coffer", "passphrase", "set", "--forgotten", "--vault-key-file", key, "--new-passphrase-file", passphrase,
      environment: [
        "COFFER_FAULT_POINT": "replacementCommitted:1", "COFFER_FAULT_LOG": machine.directory.path("steps"),
      ])
    #expect(killed.signal == SIGKILL, "\(killed)")
    #expect(try machine.coffer("get", "github.com", "jane", "--passphrase-file", passphrase) == "s3cret")
    #expect(try !machine.json(StatusReport.self, "status").keepsVaultKey)
    try machine.coffer("vault-key", "rotate", "--vault-key-file", key, "--new-vault-key-file", new)
  }

  @Test func `A kept key that was altered, or is another admin's, is not shown`() throws {
    let machine = try machine()
    let file = machine.vault.appending(path: "vault-key")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: file)
    expectFailure(try machine.run("coffer", "vault-key", "show", "--yes"), 6, "does not open")
    let other = try self.machine()
    try Data(contentsOf: other.vault.appending(path: "vault-key")).write(to: file)
    expectFailure(try machine.run("coffer", "vault-key", "show", "--yes"), 6, "does not open")
  }
}
