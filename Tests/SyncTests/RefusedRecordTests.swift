import Coffer
import CofferCrypto
import CofferFormat
import CofferStore
import CofferExchange
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Logging
import Testing

/// Records that the membership log does not let their author write, published by an enrolled machine.
@Suite struct RefusedRecordTests {
  private let suite: TwoMachines
  private let free = "com.example.photo.free"
  private static let group = "com.example.photo.purchases"
  private var group: String { Self.group }
  /// The genuine version of the item, written by the app that may.
  private let genuine: Record

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let suite = try TwoMachines()
    suite.deleteAtExit()
    try suite.laptop.coffer("set", "service", "item", "--app", app, "--group", group, input: "genuine")
    let outbox = try suite.laptop.local.store.read { reader in
      try reader.outbox(in: try #require(try reader.outboxGroups().first), byteLimit: .max)
    }
    let genuine = try Record(bytes: try #require(outbox.first).1)
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    return (suite, genuine)
  }

  init() throws {
    let template = try unsafe Self.template.get()
    suite = try TwoMachines(copying: template.0)
    genuine = template.1
  }

  /// Returns a version of the item by the app that may only read.
  private func forge(
    _ value: String = "forged", over bases: [Record], time: Int64 = 60
  ) throws -> Record {
    try suite.laptop.forge(
      Array(value.utf8), account: "item", in: group, by: free, bases: bases.map(\.hash), time: time)
  }

  private func seal(_ records: [Record], after previous: StreamPosition? = nil) throws -> SealedSegment {
    try suite.laptop.sealSegment(of: records.map(\.bytes), in: genuine.header.group, after: previous)
  }

  private func value(on machine: Machine, as application: String = app) throws -> String {
    try machine.coffer("get", "service", "item", "--app", application, "--group", group)
  }

  /// Registers the app that may only read again, with the right to write.
  private func permit() throws {
    let plist = try suite.laptop.directory.write(
      "writer.entitlements", entitlementsPlist(free, groups: ["~" + free, "~" + group]))
    try suite.laptop.coffer("app", "add", plist)
  }

  private func expectChecked() throws {
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
  }

  @Test func `Refused records that an owner has adopted are not counted on any machine`() throws {
    let forged =
      try [forge(over: [genuine])]
      + ["a", "b"].map { account in
        try suite.laptop.forge([1], account: account, in: group, by: free)
      }
    try suite.remote.put([seal(forged)])
    for machine in [suite.laptop, suite.desktop] {
      _ = try machine.run("coffer", "sync")
      #expect(try machine.status("refusedRecords") == "3")
    }
    try suite.desktop.coffer("refused", "adopt", forged[0].hash.raw.hex, forged[1].hash.raw.hex)
    #expect(try suite.desktop.status("refusedRecords") == "1")
    for machine in [suite.desktop, suite.laptop] {
      let sync = try machine.run("coffer", "sync")
      #expect(sync.text.contains("refused:  1 record by"), "\(sync)")
      #expect(try machine.status("refusedRecords") == "1" && value(on: machine) == "forged")
      #expect(try machine.coffer("why", free, group).contains("Refused: 1 record by"))
    }
    try suite.laptop.coffer("refused", "adopt", "--all")
    for machine in [suite.laptop, suite.desktop] {
      let sync = try machine.run("coffer", "sync")
      #expect(!sync.text.contains("refused") && !sync.errors.contains("refused"), "\(sync)")
      #expect(
        try machine.status("refusedRecords") == "0" && machine.status("unadmittedRecords").contains("app") == false)
      #expect(try !machine.coffer("status").contains("Refused"))
    }
    try expectChecked()
    // Who deletes or replaces an adopted version brings no refused one back.
    try suite.desktop.coffer("delete", "service", "item", "--group", group)
    #expect(try suite.desktop.status("refusedRecords") == "0")
  }

  @Test
  func `A change of membership that the host refuses makes no refused record count; one that it accepts does at once`()
    throws
  {
    try suite.remote.put([seal([forge(over: [genuine])])])
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    try suite.remote.setPushHook("exit 1")
    #expect(throws: (any Error).self) { try permit() }
    #expect(try value(on: suite.laptop) == "genuine" && suite.laptop.status("refusedRecords") == "1")
    try expectChecked()
    try suite.remote.setPushHook(nil)
    try permit()
    #expect(try value(on: suite.laptop) == "forged" && suite.laptop.status("refusedRecords") == "0")
    try suite.desktop.sync()
    #expect(try value(on: suite.desktop) == "forged")
    try expectChecked()
  }

  @Test func `A read-only app's write is refused and named everywhere, and counts once the app may write`() throws {
    try suite.remote.put([seal([forge(over: [genuine])])])
    let sync = try suite.desktop.run("coffer", "sync")
    let team = try suite.desktop.local.membership().team
    #expect(
      sync.exitCode == 6
        && sync.errors.contains("refused 1 record by \(team).\(free) on laptop: it may not write \(team).\(group)")
        && sync.errors.contains("coffer app add"), "\(sync)")
    // It is named as long as it is refused, and is no error of the remote any more.
    #expect(try suite.desktop.coffer("sync").contains("refused:  1 record by \(team).\(free) on laptop"))
    #expect(try suite.desktop.coffer("status").contains("Refused "))
    #expect(try suite.desktop.status("refusedRecords") == "1" && suite.desktop.status("pendingRecords") == "0")
    let list = try suite.desktop.status("unadmittedRecords")
    for part in ["state: refused", "machine: laptop", "recordCount: 1", free, group] {
      #expect(list.replacing("\"", with: "").contains(part), "\(list)")
    }
    // The machine that published it refuses it too.
    _ = try suite.laptop.run("coffer", "sync")
    #expect(try suite.laptop.status("refusedRecords") == "1")
    for machine in [suite.laptop, suite.desktop] { #expect(try value(on: machine) == "genuine") }
    try expectChecked()
    try permit()
    try suite.desktop.sync()
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.status("refusedRecords") == "0")
      #expect(try value(on: machine) == "forged")
      #expect(try value(on: machine, as: free) == "forged")
    }
    try expectChecked()
  }

  @Test func `A record of this machine that its author may not write is refused here as on other machines`() throws {
    let forged = try forge(over: [genuine])
    // As any program that can write to the file could.
    _ = try suite.laptop.local.store.write { try $0.insert(forged, validity: .valid, intoOutbox: true) }
    #expect(try suite.laptop.heads(of: genuine) == [forged.hash])
    #expect(try suite.laptop.coffer("sync").contains("refused:  1 record by"))
    #expect(try suite.desktop.run("coffer", "sync").errors.contains("refused 1 record by"))
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.heads(of: genuine) == [genuine.hash])
      #expect(try machine.status("refusedRecords") == "1" && value(on: machine) == "genuine")
    }
    try expectChecked()
    try permit()
    try suite.desktop.sync()
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.heads(of: genuine) == [forged.hash])
      #expect(try machine.status("refusedRecords") == "0" && value(on: machine) == "forged")
    }
    try expectChecked()
  }

  @Test(.inFullRun)
  func `More refused records than any limit do not stop the stream that they are in, and none is lost`() throws {
    // More than the 16 MiB of one machine's records that others keep outside of segments.
    var segments: [SealedSegment] = []
    for number in 0..<2 {
      let value = [UInt8](repeating: UInt8(number), count: 15 << 20)
      let record = try suite.laptop.forge(value, account: "large \(number)", in: group, by: free)
      segments.append(try seal([record], after: segments.last?.position))
    }
    let unknown = try (0..<2_000).map {
      try suite.laptop.forge([1], account: "unknown \($0)", in: group, by: free, keys: .random())
    }
    segments.append(try seal(unknown, after: segments.last?.position))
    let honest = try suite.laptop.forge(Array("honest".utf8), account: "honest", in: group, by: app)
    segments.append(try seal([honest], after: segments.last?.position))
    try suite.remote.put(segments)
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(
      sync.exitCode == 6 && sync.errors.contains("refused 2000 records by an unknown author, sent by laptop"),
      "\(sync)")
    #expect(try suite.desktop.coffer("get", "service", "honest", "--app", app, "--group", group) == "honest")
    #expect(try suite.desktop.status("refusedRecords") == "2002")
    #expect(try suite.desktop.local.store.read { try $0.unadmittedByteCounts().all } == 0)
    try permit()
    try suite.desktop.sync()
    #expect(try suite.desktop.status("refusedRecords") == "2000")
    let list = try suite.desktop.coffer("list", "--app", app, "--group", group)
    #expect(list.components(separatedBy: "large ").count == 3)
    let value = try suite.desktop.coffer("get", "service", "large 1", "--app", app, "--group", group)
    #expect(value.utf8.count == 15 << 20)
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
  }

  /// The events that can arrive in any order.
  private enum Event: CaseIterable { case first, refused, last, entry }

  /// Returns all orders of events.
  private static func orders(of events: [Event]) -> [[Event]] {
    guard !events.isEmpty else { return [[]] }
    return events.flatMap { event in orders(of: events.filter { $0 != event }).map { [event] + $0 } }
  }

  /// What a store knows of the item: its heads, and the places of records that do not count.
  private struct State: Hashable {
    let heads: Set<RecordHash>
    let unadmitted: String
  }

  @Test func `A refused record covers no head until the log permits it, in whatever order records and log arrive`()
    throws
  {
    let first = try suite.laptop.forge([1], account: "order", in: group, by: app)
    let refused = try suite.laptop.forge([2], account: "order", in: group, by: free, bases: [first.hash], time: 70)
    let last = try suite.laptop.forge([3], account: "order", in: group, by: app, bases: [refused.hash], time: 80)
    let known = Set(try suite.remote.files())
    let base = suite.remote.tip
    let segments = try [Event.first: seal([first]), .refused: seal([refused]), .last: seal([last])]
    try permit()
    let log = try suite.remote.files().filter { !known.contains($0) }
    let entries = try log.map { path in (path, try suite.remote.bytes(of: path)) }
    // Snapshots of the remote, by the events that they show.
    var tips: [Set<Event>: String] = [[]: base]
    for order in Self.orders(of: Event.allCases) {
      for count in 1...order.count {
        let shown = Set(order.prefix(count))
        guard tips[shown] == nil else { continue }
        try suite.remote.serve(base)
        try suite.remote.tamper { tree in
          var files = shown.compactMap { segments[$0] }.map { ($0.path, $0.file) }
          if shown.contains(.entry) { files += entries }
          for (path, bytes) in files {
            let file = tree.appending(path: path)
            try FileManager.default.createDirectory(
              at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
          }
        }
        tips[shown] = suite.remote.tip
      }
    }
    let folder = suite.desktop.vault
    let kept = suite.desktop.directory.url.appending(path: "kept")
    try FileManager.default.copyItem(at: folder, to: kept)
    var states: [Set<Event>: Set<State>] = [:]
    for order in Self.orders(of: Event.allCases) {
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(at: kept, to: folder)
      let local = try suite.desktop.local
      for count in 1...order.count {
        let shown = Set(order.prefix(count))
        try suite.remote.serve(try #require(tips[shown]))
        _ = try Synchronizer(local, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }).run()
        let unadmitted = try Command.run(
          "sqlite3", folder.appending(path: "store.sqlite").path,
          "SELECT hex(stream), number, hex(hash), log, authentic FROM unadmitted ORDER BY 1, 2, 3")
        states[shown, default: []].insert(State(heads: try suite.desktop.heads(of: first), unadmitted: unadmitted))
        let report = try VaultCheck.open(local.folder).run()
        #expect(report.isEmpty, "\(order) \(count): \(report.lines)")
      }
    }
    #expect(states.values.allSatisfy { $0.count == 1 }, "\(states)")
    func heads(_ events: Set<Event>) -> Set<RecordHash>? { states[events]?.first?.heads }
    #expect(heads([.first, .refused, .last]) == [first.hash, last.hash])
    #expect(heads([.first, .refused]) == [first.hash])
    #expect(heads([.first, .refused, .entry]) == [refused.hash])
    #expect(heads(Set(Event.allCases)) == [last.hash])
  }

  @Test func `A withdrawn segment's refused records are kept, and count once the log permits them`() throws {
    let forged = try forge(over: [genuine])
    let segment = try seal([forged])
    try suite.remote.put([segment])
    _ = try suite.desktop.run("coffer", "sync")
    // Another segment under the same number, by the same machine.
    let other = try suite.laptop.sealSegment(of: [], in: genuine.header.group, inPlaceOf: segment.position)
    try suite.remote.put([other])
    _ = try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.status("refusedRecords") == "1")
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
    try permit()
    _ = try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.status("refusedRecords") == "0" && value(on: suite.desktop) == "forged")
    _ = try suite.laptop.run("coffer", "sync")
    #expect(try value(on: suite.laptop) == "forged")
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
  }

  @Test(arguments: [
    "DELETE FROM unadmitted", "UPDATE unadmitted SET log = 0", "UPDATE unadmitted SET author = x'00'",
    "UPDATE unadmitted SET stream = randomblob(16)", "UPDATE unadmitted SET authentic = 0",
    "INSERT INTO unadmitted SELECT stream, number, randomblob(32), device, log, author, group_id, generation, 1 FROM unadmitted",
  ])
  func `A check names changed rows of refused records, and a sync restores them`(sql: String) throws {
    try suite.remote.put([seal([forge(over: [genuine])])])
    _ = try suite.desktop.run("coffer", "sync")
    let store = suite.desktop.vault.appending(path: "store.sqlite").path
    try Command.run("sqlite3", store, sql)
    let check = try suite.desktop.run("coffer", "check")
    #expect(check.exitCode == 6 && check.text.contains("unadmitted"), "\(check)")
    #expect(try suite.desktop.run("coffer", "sync").errors.contains("unadmitted"))
    #expect(try suite.desktop.coffer("check") == "The store matches its signed objects.")
    #expect(try suite.desktop.status("refusedRecords") == "1")
    try permit()
    try suite.desktop.sync()
    #expect(try value(on: suite.desktop) == "forged")
  }
}
