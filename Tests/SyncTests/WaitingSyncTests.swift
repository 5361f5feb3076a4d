import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// A sync that begins while another one of the same vault waits for a silent remote.
@Suite struct WaitingSyncTests {
  private let machine: Machine
  private let server: ScriptedServer
  private let first: RunningProgram

  init() throws {
    machine = try Machine()
    try machine.makeVault()
    server = try ScriptedServer(answer: [], isSilent: true)
    try machine.coffer("remote", "set", "--timeout", "1", "http://127.0.0.1:\(server.port)/vault.git")
    first = try machine.start("coffer", ["sync", "--timeout", "1000"])
    let path = VaultFolder(machine.vault).syncLockPath
    let machine = machine
    try waitUntil("the first sync holds the lock") {
      try machine.start("/usr/bin/flock", ["--nonblock", path, "true"]).wait().exitCode != 0
    }
  }

  /// The process of the first sync, as messages name it.
  private var holder: String { "process \(first.processIdentifier) (coffer-sync)" }

  private func end() throws {
    kill(first.processIdentifier, SIGINT)
    _ = try first.wait()
  }

  @Test func `It says who syncs, waits for the timeout, and has an exit code of its own`() throws {
    let start = ContinuousClock.now
    let outcome = try machine.run("coffer", "sync", "--timeout", "3")
    #expect(ContinuousClock.now - start >= .seconds(3))
    #expect(outcome.exitCode == 8 && outcome.output.isEmpty, "\(outcome)")
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == "Waiting for another sync: \(holder). Ctrl-C ends the wait.", "\(outcome)")
    #expect(lines.last?.hasPrefix("coffer: another sync is still running in \(holder) (") == true, "\(outcome)")
    #expect(lines.last?.hasSuffix("or end it with: kill \(first.processIdentifier)") == true, "\(outcome)")
    try end()
  }

  @Test func `Programs learn it by its code, and it counts as no failure`() throws {
    let outcome = try machine.run("coffer", "sync", "--json", "--timeout", "1")
    #expect(outcome.exitCode == 8 && outcome.text.contains(#""code" : "busy""#), "\(outcome)")
    #expect(SyncHealth.read(from: VaultFolder(machine.vault)).failureCount == 0)
    let set = try machine.run("coffer", "remote", "set", "--timeout", "1", machine.directory.path("other.git"))
    #expect(set.exitCode == 8 && set.errors.contains(holder), "\(set)")
    try end()
  }

  @Test func `It does not sync with a remote that was removed while it waited`() throws {
    let second = try machine.start("coffer", ["sync", "--timeout", "60"])
    try waitUntil("it waits") { try second.errorsSoFar().contains("Waiting for another sync: \(holder).") }
    // `coffer remote remove` would wait for the first sync, too.
    try Command.run(
      "sqlite3", machine.vault.appending(path: "store.sqlite").path, "DELETE FROM setting WHERE name = 'remote-url'")
    try end()
    let outcome = try second.wait()
    #expect(outcome.exitCode == 2 && outcome.errors.contains("this vault has no remote"), "\(outcome)")
  }

  @Test func `It goes on when the other one has ended`() throws {
    let second = try machine.start("coffer", ["sync", "--timeout", "1000"])
    try waitUntil("it waits") { try second.errorsSoFar().contains("Waiting for another sync: \(holder).") }
    try end()
    try waitUntil("it holds the lock") {
      try String(contentsOfFile: "/proc/locks", encoding: .utf8).contains(" \(second.processIdentifier) ")
    }
    kill(second.processIdentifier, SIGINT)
    #expect(try second.wait().errors.contains("interrupted"))
  }
}
