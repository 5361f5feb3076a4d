import CofferFormat
import CofferGit
import CofferStore
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

@testable import CofferExchange

/// What a sync has found, until a person has read it: the sync repairs the remote, and no later one can find it again.
@Suite struct UnreadProblemTests {
  private let suite: TwoMachines
  private var laptop: Machine { suite.laptop }

  init() throws {
    suite = try TwoMachines()
    try laptop.set("jane", "one")
    try laptop.sync()
  }

  /// Syncs as the service does: nobody reads what it finds.
  private func syncUnread() throws -> SyncReport {
    try VaultSync(
      VaultFolder(laptop.vault), cancellation: Cancellation(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run()
  }

  /// Removes a segment of the laptop from the remote.
  private func loseSegment() throws -> String {
    let path = try #require(try suite.remote.files().last { $0.hasPrefix("segments/") })
    try suite.remote.tamper { try FileManager.default.removeItem(at: $0.appending(path: path)) }
    return path
  }

  @Test func `What the service has found is in the status until coffer sync has named it once, with its time`() throws {
    let path = try loseSegment()
    let first = try syncUnread().problems
    #expect(first.map(\.found) == [nil] && first[0].message.hasSuffix("has lost \(path)"), "\(first)")
    // The remote has everything again, and the next syncs find nothing.
    for _ in 0..<2 {
      let later = try syncUnread().problems
      #expect(later.map(\.message) == first.map(\.message) && later[0].found != nil, "\(later)")
    }
    let process = try laptop.run("coffer-sync", "sync", "--json", "--keep-problems")
    let output = String(decoding: process.output, as: UTF8.self)
    #expect(process.exitCode == 6 && output.contains(#""found" : "2"#), "\(process)")
    let status = try laptop.coffer("status")
    #expect(status.contains("1 problem in the last sync (coffer sync names them)"), "\(status)")
    let found = try #require(laptop.local.unreadProblems().problems.first?.found)
    let sync = try laptop.run("coffer", "sync")
    let line = "has lost \(path) (found by an earlier sync, at \(found.localText))"
    #expect(sync.exitCode == 6 && sync.errors.contains(line), "\(sync)")
    #expect(try !laptop.coffer("status").contains("coffer sync names them"))
    #expect(try laptop.coffer("sync").hasPrefix("Up to date"))
    #expect(try !laptop.coffer("status").contains("Problems"))
  }

  @Test func `What a sync has repaired that was killed then is named by the next one`() throws {
    let path = try loseSegment()
    try laptop.kill("coffer", ["sync"], at: FaultStep(point: .pushAccepted, occurrence: 1))
    #expect(try suite.remote.files().contains(path))
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has lost \(path) (found by an earlier sync"), "\(sync)")
    try laptop.sync()
  }

  @Test func `A host that causes any number of problems of one kind hides none of another kind`() throws {
    let time = Timestamp(microseconds: 1_800_000_000_000_000)
    var unread = UnreadProblems()
    let planted = (0..<1_000).map { SyncProblem(.unusable, "has an unknown file \($0)") }
    let (isNew, isNewAgain) = (unread.insert(planted, at: time), unread.insert(planted, at: time))
    #expect(isNew && !isNewAgain && unread.problems.count == UnreadProblems.countOfEachKind + 1)
    let rewritten = SyncProblem(.contradiction, "was set back or rewritten")
    let isAdded = unread.insert([rewritten], at: time)
    #expect(isAdded && unread.problems.last?.message == rewritten.message)
    let stored = try #require(UnreadProblems(stored: unread.stored))
    #expect(stored.problems == unread.problems && stored.problems.allSatisfy { $0.found == time.date })
    unread.remove(planted)
    #expect(unread.problems.map(\.kind) == [.unusable, .contradiction])
  }

  @Test func `What another program has written among the problems controls no terminal, and is not much`() throws {
    let written = (0..<1_000).map { SyncProblem(.missing, "\u{1B}[2J\($0) \(String(repeating: "x", count: 10_000))") }
    let unread = try #require(UnreadProblems(stored: Array(JSONEncoder().encode(written))))
    #expect(unread.problems.count == 200)
    #expect(unread.problems.allSatisfy { !$0.message.contains("\u{1B}") && $0.message.count <= 2_000 })
  }

  @Test func `A list of problems that another program has damaged counts as none, and is written anew`() throws {
    let path = try loseSegment()
    let store = laptop.vault.appending(path: "store.sqlite").path
    let sql = "INSERT OR REPLACE INTO setting (name, value) VALUES ('unread-problems', CAST('[{' AS BLOB))"
    try Command.run("sqlite3", store, sql)
    _ = try syncUnread()
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.errors.contains("has lost \(path) (found by an earlier sync"), "\(sync)")
    try laptop.sync()
  }
}
