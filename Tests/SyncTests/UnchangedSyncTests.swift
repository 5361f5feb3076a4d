import CofferExchange
import CofferGit
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

/// A sync of which both sides are as the last one has left them does not start git.
@Suite struct UnchangedSyncTests {
  private let suite: TwoMachines
  private var folder: VaultFolder { VaultFolder(suite.laptop.vault) }

  init() throws {
    suite = try TwoMachines()
    try suite.laptop.set("jane", "one")
    try suite.laptop.sync()
    try suite.desktop.sync()
    try suite.laptop.sync()
  }

  private func sync() throws -> SyncReport {
    let report = try VaultSync(
      folder, cancellation: Cancellation(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run()
    try suite.laptop.local.markRead(report.problems)
    return report
  }

  /// Syncs while git reads nothing of the remote.
  private func syncWithoutGit() throws -> SyncReport {
    let file = URL(filePath: suite.remote.path).appending(path: "config")
    let configuration = try Data(contentsOf: file)
    try Data("[damaged".utf8).write(to: file)
    defer { try? configuration.write(to: file) }
    return try sync()
  }

  @Test func `If nothing was written on either side, the remote is compared without git`() throws {
    let before = try sync()
    for _ in 0..<3 {
      let report = try syncWithoutGit()
      #expect(report.isUnchanged && report.problems.isEmpty && report.summary == before.summary)
      #expect(report.bytesReceived == 0)
    }
    #expect(SyncHealth.read(from: folder).lastError == nil)
  }

  @Test func `A change on this machine is sent`() throws {
    try suite.laptop.set("jane", "two")
    #expect(throws: VaultError.self) { try syncWithoutGit() }
    #expect(try sync().recordsSent == 1)
    #expect(try syncWithoutGit().isUnchanged)
    try suite.desktop.sync()
    #expect(try suite.desktop.get("jane") == "two")
  }

  @Test func `With a new cache, the remote is read again`() throws {
    #expect(try syncWithoutGit().isUnchanged)
    try FileManager.default.removeItem(atPath: folder.cachePath)
    #expect(throws: VaultError.self) { try syncWithoutGit() }
    #expect(try sync().isUnchanged)
    #expect(try syncWithoutGit().isUnchanged)
  }

  @Test func `A push of another machine arrives`() throws {
    try suite.desktop.set("jane", "three")
    try suite.desktop.sync()
    #expect(try sync().recordsReceived == 1)
    #expect(try suite.laptop.get("jane") == "three")
  }

  @Test func `What another program has written to the store is named`() throws {
    try Command.run("sqlite3", folder.storePath, "UPDATE record SET head = 0")
    let report = try sync()
    #expect(report.problems.contains { $0.kind == .store })
  }

  @Test func `A remote with a file or a branch that nobody knows is compared as a whole`() throws {
    try suite.remote.tamper { try Data("x".utf8).write(to: $0.appending(path: "unknown")) }
    let first = try sync()
    #expect(!first.problems.isEmpty)
    #expect(try sync().problems.isEmpty)
    try Command.run("git", "-C", suite.remote.path, "branch", "other", "main")
    #expect(throws: VaultError.self) { try syncWithoutGit() }
  }
}
