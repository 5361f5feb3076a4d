import CofferTestSupport
import Foundation
import Testing

@Suite struct StagingFolderTests {
  /// Runs a program in a PID namespace of its own, as a container does.
  private static let inContainer = ["unshare", "--pid", "--fork"]
  private static let hasContainers = (try? Command.run("unshare", "--pid", "--fork", "true")) != nil

  private func names(_ machine: Machine) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: machine.home.appending(path: "vaults").path).sorted()
  }

  @Test(.enabled(if: hasContainers, "unshare is not permitted"))
  func `A program in another PID namespace keeps the folder of a running clone`() throws {
    let machine = try Machine()
    let remote = machine.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    let source = try Machine()
    try source.makeVault()
    try source.coffer("remote", "set", remote)
    try source.coffer("sync")
    let clone = try PseudoTerminal(machine, "clone", "--no-passphrase", remote)
    try clone.await("Vault key: ")
    let staging = try names(machine)
    #expect(staging.contains { $0.hasPrefix(".new-") })
    let outcome = try machine.run(
      "coffer", "init", "--no-passphrase", environment: ["COFFER_VAULT": "other"], wrapper: Self.inContainer)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try names(machine) == staging + ["other"])
    clone.type("\u{3}")
    #expect(clone.wait() == 5, "\(clone.screen)")
    #expect(try names(machine) == ["other"])
  }

  @Test func `The next init removes every folder and lock that nobody holds`() throws {
    let machine = try Machine()
    let folder = machine.home.appending(path: "vaults/.new-0123456789abcdef01234567")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("secret".utf8).write(to: folder.appending(path: "device"))
    for name in [".new-0123456789abcdef01234567.lock", ".new-aaaaaaaaaaaaaaaaaaaaaaaa.lock"] {
      try Data().write(to: machine.home.appending(path: "vaults/\(name)"))
    }
    try machine.coffer("init", "--no-passphrase")
    #expect(try names(machine) == ["default"])
  }

  @Test func `A folder whose lock is held is kept`() throws {
    let machine = try Machine()
    let folder = machine.home.appending(path: "vaults/.new-0123456789abcdef01234567")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let lock = unsafe open("\(folder.path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
    try machine.coffer("init", "--no-passphrase")
    #expect(try names(machine) == [folder.lastPathComponent, "\(folder.lastPathComponent).lock", "default"])
    // The kernel releases the lock of a process that ends. A program that another test starts just now may have the
    // descriptor for a moment, so closing it alone would not.
    try #require(flock(lock, LOCK_UN) == 0)
    close(lock)
    expectFailure(try machine.run("coffer", "init", "--no-passphrase"), 1, "already")
    #expect(try names(machine) == ["default"])
  }
}
