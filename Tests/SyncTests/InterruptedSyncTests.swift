import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Syncs whose reader goes away, that a signal ends, or whose failure is longer than any file should be.
@Suite struct InterruptedSyncTests {
  private let two: TwoMachines

  init() throws { two = try TwoMachines() }

  @Test func `A sync goes on when nobody reads its progress any more`() throws {
    try two.laptop.set("written", "1")
    let outcome = try two.laptop.start(
      "/bin/bash", ["-c", "\(Machine.path(of: "coffer")) sync --progress 2> >(head -c 1 > /dev/null); exit $?"]
    ).wait()
    #expect(outcome.exitCode == 0 && outcome.text.contains("sent:"), "\(outcome)")
    try two.desktop.sync()
    #expect(try two.desktop.get("written") == "1")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `A sync that waits for another one ends soon after a signal, and loses nothing`(number: Int32) throws {
    try two.laptop.set("written", "1")
    let path = VaultFolder(two.laptop.vault).syncLockPath
    // The lock is of the open file, which the other program inherits.
    let holder = try two.laptop.start("/usr/bin/flock", [path, "sleep", "100"])
    defer { kill(holder.processIdentifier, SIGKILL) }
    // It starts its program after it has the lock. To try the lock would not show who holds it.
    try waitUntil("the lock is held") { try hasChild(holder.processIdentifier) }
    let sync = try two.laptop.start("coffer", ["sync"])
    try waitUntil("the sync observes the signal") { try observes(number, sync.processIdentifier) }
    kill(sync.processIdentifier, number)
    #expect(try sync.wait().exitCode == 130)
    try Command.run("pkill", "-P", "\(holder.processIdentifier)")
    _ = try holder.wait()
    try two.laptop.sync()
    try two.desktop.sync()
    #expect(try two.desktop.get("written") == "1")
  }

  private func hasChild(_ process: Int32) throws -> Bool {
    try !String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8).isEmpty
  }

  /// Whether a process has a handler for a signal.
  private func observes(_ number: Int32, _ process: Int32) throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
    let mask = caught?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
    return mask & (1 << UInt64(number - 1)) != 0
  }

  @Test func `A failure that is too long for the file of the health does not erase it`() throws {
    let folder = VaultFolder(two.laptop.vault)
    try two.laptop.sync()
    let before = SyncHealth.read(from: folder)
    #expect(before.lastSuccess != nil)
    let long = VaultError(.network, String(repeating: "x", count: 100_000))
    SyncHealth.update(in: folder) { $0.lastError = VaultError.Report(long) }
    #expect(SyncHealth.read(from: folder) == before)
  }
}
