import Coffer
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

/// Records that arrive before the log entry that authorises them.
@Suite struct PendingRecordTests {
  private let suite: TwoMachines
  private let application = "com.example.new"
  private let free = "com.example.photo.free"
  private let values = ["one": "1", "two": "2", "three": "3"]

  /// The laptop has registered an app and written its items; the host serves all of that to the desktop except the log
  /// entry.
  init() throws {
    suite = try TwoMachines()
    try suite.desktop.sync()
    let known = try suite.remote.files().filter { $0.hasPrefix("log/") }
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new"))
    try suite.laptop.coffer("app", "add", plist)
    for (account, value) in values {
      try suite.laptop.coffer("set", "service", account, "--app", application, input: value)
      try suite.laptop.sync()
    }
    let withheld = try suite.remote.files().filter { $0.hasPrefix("log/") && !known.contains($0) }
    try suite.remote.tamper { tree in
      for path in withheld { try FileManager.default.removeItem(at: tree.appending(path: path)) }
    }
  }

  /// The files of the first segment of each stream.
  private func firstSegments() throws -> [String] {
    try suite.remote.files().filter { $0.hasPrefix("segments/") && $0.hasSuffix("/0") }
  }

  /// Syncs the desktop, which must name the withheld log entry.
  private func syncDesktop() throws {
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(
      sync.exitCode == 6 && sync.errors.contains("of the membership log, which laptop has seen there"), "\(sync)")
  }

  /// Restores the log entry on the remote, and gives the desktop's app its credential.
  private func expectEverythingArrives() throws {
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    try suite.desktop.sync()
    #expect(try suite.desktop.status("pendingRecords") == "0")
    try suite.desktop.coffer("app", "install", application)
    for (account, value) in values {
      #expect(try suite.desktop.coffer("get", "service", account, "--app", application) == value)
    }
  }

  @Test func `Pending records are kept, and count as soon as the log authorises them`() throws {
    try syncDesktop()
    #expect(try suite.desktop.status("pendingRecords") == "3")
    try expectEverythingArrives()
  }

  @Test func `Pending records count even if the store does not know in which segments they are`() throws {
    try syncDesktop()
    // Another program has deleted the rows.
    try Command.run(
      "sqlite3", suite.desktop.vault.appending(path: "store.sqlite").path,
      "DELETE FROM unadmitted; DELETE FROM setting WHERE name = 'validated-log'; DELETE FROM summary")
    try expectEverythingArrives()
  }

  @Test func `Pending records become refused if the log arrives and does not permit them`() throws {
    let record = try suite.laptop.forge([1], account: "forged", in: "com.example.photo.purchases", by: free)
    try suite.remote.put([suite.laptop.sealSegment(of: [record.bytes], in: record.header.group)])
    try syncDesktop()
    #expect(try suite.desktop.status("pendingRecords") == "4")
    #expect(try suite.desktop.coffer("status").contains("Pending "))
    try expectEverythingArrives()
    #expect(try suite.desktop.status("refusedRecords") == "1")
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
  }

  /// A record of which one segment names a later entry of the log than another: the order in which they arrive.
  @Test(arguments: [[0, 1], [1, 0]])
  func `A record is refused if one of its segments names no later entry of the log, in any order`(
    order: [Int]
  ) throws {
    let record = try suite.laptop.forge([1], account: "forged", in: "com.example.photo.purchases", by: free)
    let membership = try suite.desktop.local.membership()
    let segments = try [membership.head, suite.laptop.local.membership().head].map {
      try suite.laptop.sealSegment(of: [record.bytes], in: record.header.group, log: $0)
    }
    for (index, pending) in zip(order, [order[0] == 1 ? "4" : "3", "3"]) {
      try suite.remote.put([segments[index]])
      _ = try suite.desktop.run("coffer", "sync")
      #expect(try suite.desktop.status("pendingRecords") == pending)
    }
    #expect(try suite.desktop.status("refusedRecords") == "1")
  }

  @Test func `Pending records of segments that do not follow are kept up to a limit, and none is lost`() throws {
    // The laptop's own stream lacks its beginning for the desktop.
    try suite.remote.put([], withholding: firstSegments())
    let local = try suite.desktop.local
    for _ in 0..<2 {
      let report = try suite.desktop.syncReport(keeping: 800)
      #expect(report.problems.contains { $0.message.contains("does not follow the segment before it") }, "\(report)")
      #expect(report.unadmittedRecords.count(.pending) == 1, "\(report)")
      #expect(try (1...800).contains(local.store.read { try $0.unadmittedByteCounts().all }))
    }
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
    // The laptop pushes again what the remote lacks.
    try expectEverythingArrives()
    #expect(try local.store.read { try $0.unadmittedByteCounts().all } == 0)
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
  }

  @Test func `Pending records of segments that do not follow are in a segment of this machine as soon as they count`()
    throws
  {
    let beginnings = try firstSegments()
    try suite.remote.put([], withholding: beginnings)
    _ = try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.status("pendingRecords") == "2")
    // The laptop pushes everything again, and the host keeps the beginning back.
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    try suite.remote.put([], withholding: beginnings)
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("does not follow the segment before it"), "\(sync)")
    #expect(try suite.desktop.status("pendingRecords") == "0")
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
    let backup = try suite.desktop.run("coffer", "backup", suite.desktop.directory.path("backup"))
    #expect(backup.exitCode == 0, "\(backup)")
  }
}
