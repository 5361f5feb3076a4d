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
    let process = try laptop.run("coffer-sync", "sync", "--json", "--leave-unread")
    let output = String(decoding: process.output, as: UTF8.self)
    #expect(process.exitCode == 6 && output.contains(#""found" : "2"#), "\(process)")
    let status = try laptop.coffer("status")
    #expect(status.contains("1 unread problem (read with: coffer sync)"), "\(status)")
    let found = try #require(laptop.local.unreadProblems().problems.first?.found)
    let sync = try laptop.run("coffer", "sync")
    let line = "has lost \(path) (found by an earlier sync, at \(found.localText))"
    #expect(sync.exitCode == 6 && sync.errors.contains(line), "\(sync)")
    #expect(try !laptop.coffer("status").contains("unread problem"))
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
    let time = Timestamp(microseconds: 1_700_000_000_000_000)
    var unread = UnreadProblems()
    let planted = (0..<1_000).map { SyncProblem(.unusable, "has an unknown file \($0)") }
    for _ in 0..<2 { unread.insert(planted, at: time) }
    #expect(unread.problems.count == UnreadProblems.countOfEachKind + 1)
    // Nothing is written for those that are not kept.
    let local = try laptop.local
    try local.keep(planted)
    let log = laptop.vault.appending(path: "store.sqlite-wal")
    let written = try Data(contentsOf: log)
    try local.keep(planted)
    #expect(try !written.isEmpty && Data(contentsOf: log) == written)
    let rewritten = SyncProblem(.contradiction, "was set back or rewritten")
    unread.insert([rewritten], at: time)
    #expect(unread.problems.last?.message == rewritten.message)
    let stored = try #require(UnreadProblems(stored: unread.stored))
    #expect(stored.problems == unread.problems && stored.problems.allSatisfy { $0.found == time.date })
    unread.remove(planted)
    #expect(unread.problems.map(\.kind) == [.unusable, .contradiction])
  }

  @Test func `What another program has written among the problems controls no terminal, and is not much`() throws {
    let text = String(repeating: "x", count: 10_000)
    let written = (0..<1_000).map { #"{"kind":"\u001B\#(text)","message":"\u001B[2J\#($0) \#(text)","found":-1e300}"# }
    let unread = try #require(UnreadProblems(stored: Array("[\(written.joined(separator: ","))]".utf8)))
    #expect(unread.problems.count == 200)
    for problem in unread.problems {
      #expect(!problem.line.contains("\u{1B}") && problem.message.count <= 2_000 && problem.kind.rawValue.count < 80)
      #expect(problem.line.contains("at 1970-01-01 "))
    }
    // A sync that finds one of them does not list it again.
    var rest = unread
    rest.remove(unread.problems.map { SyncProblem($0.kind, $0.message) })
    #expect(rest.problems.isEmpty)
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

  @Test func `What earlier syncs have found is named although every later sync fails`() throws {
    let path = try loseSegment()
    _ = try syncUnread()
    try FileManager.default.removeItem(atPath: suite.remote.path)
    let json = try laptop.run("coffer", "sync", "--json")
    #expect(json.exitCode == 7 && !json.errors.contains(path), "\(json)")
    let sync = try laptop.run("coffer", "sync")
    #expect(sync.exitCode == 7 && sync.errors.contains("has lost \(path) (found by an earlier sync"), "\(sync)")
    #expect(try !laptop.run("coffer", "sync").errors.contains(path))
  }

  @Test func `A machine that has signed two segments is named, wherever the sync is killed that finds it`() throws {
    let (desktop, copy, earlier) = (suite.desktop, try laptop.copied(), suite.remote.tip)
    try laptop.set("john", "two")
    try laptop.sync()
    try desktop.sync()
    try suite.remote.serve(earlier)
    try copy.set("john", "three")
    try copy.sync()
    let served = suite.remote.tip
    let steps = try desktop.copied().steps(of: "coffer", ["sync"], exitCode: 6)
      .filter { $0.point == .transactionCommitted }
    #expect(steps.count > 3)
    // The last transaction notes that the problems were printed.
    for step in steps.dropLast() {
      try suite.remote.serve(served)
      let machine = try desktop.copied()
      try machine.kill("coffer", ["sync"], at: step)
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("signed by laptop too"), "\(step): \(sync)")
    }
  }
}
