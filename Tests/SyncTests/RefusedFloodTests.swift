import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A revoked machine, of which a thief has all files, that goes on pushing; and a machine of the vault that pushes what
/// does not count.
@Suite struct RefusedFloodTests {
  private struct Refused: Decodable {
    let version: String
    let reason: String
  }

  private struct Synced: Decodable {
    let problems: [SyncProblem]
    let removed: Int
    let refusedRecords: Int
    let pendingRecords: Int
  }

  private let suite: ThreeMachines
  /// The desktop's files before it was removed.
  private let copy: Machine
  private let group = "com.example.photo.pro"
  private let purchases = "com.example.photo.purchases"
  private let free = "com.example.photo.free"
  private static let words = "it was written after desktop was revoked"

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
    copy = try suite.desktop.copied()
  }

  private func sync(_ machine: Machine) throws -> (exitCode: Int32?, report: Synced) {
    let outcome = try machine.run("coffer", "sync", "--json")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return (outcome.exitCode, try decoder.decode(Synced.self, from: outcome.output))
  }

  private func refused(on machine: Machine) throws -> [Refused] {
    try JSONDecoder().decode([Refused].self, from: Data(machine.coffer("refused", "--json").utf8))
  }

  /// Returns segments with records of 1 MiB that do not compress.
  ///
  /// - Parameters:
  ///   - count: The number of records, four to a segment.
  ///   - keys: The keys of an author that the log does not contain, in place of the app's.
  ///   - log: The position of the log that the segments name.
  /// - Returns: The segments, in a stream of their own.
  /// - Throws: An error if the files of the copy cannot be read.
  private func flood(_ count: Int, keys: PartyKeys? = nil, log: LogPosition? = nil) throws -> [SealedSegment] {
    var segments: [SealedSegment] = []
    for start in stride(from: 0, to: count, by: 4) {
      let records = try (start..<min(start + 4, count)).map { index in
        try copy.forge(Random.bytes(count: 1 << 20), account: "flood \(index)", in: group, by: app, keys: keys)
      }
      segments.append(
        try copy.sealSegment(
          of: records.map(\.bytes), in: records[0].header.group, after: segments.last?.position, log: log))
    }
    return segments
  }

  @Test(arguments: TestRun.rows([false, true]))
  func `What a revoked machine pushes, however much it is, is named once and removed, and compact and discard work`(
    isUnknown: Bool
  ) throws {
    try suite.revoke()
    // Each of them says once that it knows of the removal.
    try suite.sync(suite.third, suite.laptop)
    let planted = try flood(20, keys: isUnknown ? .random() : nil)
    try suite.remote.put(planted)
    let first = try suite.third.run("coffer", "sync")
    #expect(first.exitCode == 6 && first.errors.contains(Self.words), "\(first)")
    #expect(first.errors.contains("5 refused records of desktop cannot be kept"), "\(first)")
    #expect(Set(try suite.remote.files()).isDisjoint(with: planted.map(\.path)))
    let tip = suite.remote.tip
    for machine in [suite.third, suite.laptop] {
      let (exitCode, report) = try sync(machine)
      #expect(
        exitCode == 0 && report.problems.isEmpty && report.removed == 0 && report.pendingRecords == 0, "\(report)")
    }
    #expect(suite.remote.tip == tip)
    // As much is kept as there is space for, and all of it ends.
    let kept = try suite.third.local.store.read { try $0.unadmittedByteCounts().all }
    #expect(kept > 12 << 20 && kept <= Limits.unadmittedByteCountPerDevice, "\(kept)")
    #expect(try refused(on: suite.third).count == 15 && suite.third.status("refusedRecords") == "15")
    let discarded = try suite.third.coffer("refused", "discard", "--all", "--yes")
    #expect(discarded.contains("15 versions are discarded"))
    #expect(try refused(on: suite.third).isEmpty && suite.third.status("refusedRecords") == "0")
    #expect(try suite.third.local.store.read { try $0.unadmittedByteCounts().all } == 0)
    // The machine that compacts may be the one that meets them.
    try suite.remote.put(planted)
    let compacted = try suite.laptop.run("coffer", "compact")
    #expect(compacted.exitCode == 6 && compacted.errors.contains(Self.words), "\(compacted)")
    #expect(try suite.laptop.status("epoch") == "2")
    try suite.sync(suite.laptop, suite.third)
    #expect(try suite.third.status("epoch") == "2" && suite.third.values() == ["old": "by the desktop"])
    try suite.expectSound(suite.laptop, suite.third)
  }

  @Test func `A file that was refused and named is neither read nor named again if the host keeps it`() throws {
    try suite.revoke()
    try suite.sync(suite.third)
    let planted = try flood(8)
    try suite.remote.put(planted)
    try suite.remote.setPushHook("exit 1")
    #expect(try sync(suite.third).exitCode == 6)
    let (exitCode, report) = try sync(suite.third)
    #expect(exitCode == 0 && report.problems.isEmpty && report.refusedRecords == 8, "\(report)")
    #expect(Set(try suite.remote.files()).isSuperset(of: planted.map(\.path)))
    try suite.remote.setPushHook(nil)
    #expect(try sync(suite.third).report.removed == planted.count)
    #expect(Set(try suite.remote.files()).isDisjoint(with: planted.map(\.path)))
    // Nor if somebody puts it there again.
    try suite.remote.put(planted)
    let again = try sync(suite.third)
    #expect(again.exitCode == 0 && again.report.removed == planted.count, "\(again)")
    // A change of the log makes it examined once more: what it permits has to be imported.
    try suite.remote.put(planted)
    #expect(try suite.third.addApp("other").exitCode == 0)
    #expect(try sync(suite.third).exitCode == 0)
    try suite.expectSound(suite.third)
  }

  @Test func `A record of an author who may get the right later is not removed with a segment that does not count`()
    throws
  {
    try suite.revoke()
    try suite.sync(suite.third)
    // The copy has the keys of the laptop's app, which may only read the group until now.
    let waiting = try suite.laptop.forge(Array("later".utf8), account: "waiting", in: purchases, by: free)
    let cut = try copy.forge([1], account: "forged", in: purchases, by: app)
    let planted = try copy.sealSegment(of: [waiting.bytes, cut.bytes], in: waiting.header.group)
    try suite.remote.put([planted])
    let full = try suite.third.syncKeeping(10)
    #expect(full.contains { $0.contains(Self.words) }, "\(full)")
    #expect(try suite.remote.files().contains(planted.path))
    // With space, it is kept, and the file is removed.
    #expect(try sync(suite.third).exitCode == 6)
    #expect(!(try suite.remote.files().contains(planted.path)))
    #expect(try suite.third.status("refusedRecords") == "2")
    let plist = try suite.laptop.directory.write(
      "writer.entitlements", entitlementsPlist(free, groups: ["~" + free, "~" + purchases]))
    try suite.laptop.coffer("app", "add", plist)
    try suite.sync(suite.third)
    #expect(try suite.third.coffer("get", "service", "waiting", "--group", purchases) == "later")
    #expect(try suite.third.status("refusedRecords") == "1")
    // The machine that has kept it sends it to all others.
    let later = try suite.clone(named: "later")
    try suite.sync(suite.laptop)
    for machine in [suite.laptop, later] {
      #expect(try machine.coffer("get", "service", "waiting", "--group", purchases) == "later")
    }
    try suite.expectSound(suite.third, suite.laptop, later)
  }

  @Test func `What somebody else wrote counts also in a segment that is removed, and goes on in another one`() throws {
    try suite.revoke()
    try suite.sync(suite.third)
    let other = try suite.laptop.forge(Array("passed on".utf8), account: "other", in: group, by: app)
    try suite.remote.put([copy.sealSegment(of: [other.bytes], in: other.header.group)])
    #expect(try sync(suite.third).exitCode == 6)
    try suite.sync(suite.third, suite.laptop)
    let later = try suite.clone(named: "later")
    for machine in [suite.third, suite.laptop, later] { #expect(try machine.get("other") == "passed on") }
    try suite.expectSound(suite.third, suite.laptop, later)
  }

  @Test func `What a revoked machine claims of the log makes none of its records wait`() throws {
    try suite.revoke()
    try suite.sync(suite.third)
    let ahead = LogPosition(sequence: 1 << 40, hash: EntryHash(.zero))
    try suite.remote.put(try flood(2, keys: .random(), log: ahead))
    let (exitCode, report) = try sync(suite.third)
    #expect(exitCode == 6 && report.pendingRecords == 0 && report.refusedRecords == 2, "\(report)")
    #expect(try sync(suite.third).exitCode == 0)
  }

  /// Lets the third machine, which belongs to the vault, publish three records of an app that may only read the group.
  private func publishRefused() throws {
    let forged = try (0..<3).map { try suite.third.forge([1], account: "forged \($0)", in: purchases, by: free) }
    try suite.remote.put([suite.third.sealSegment(of: forged.map(\.bytes), in: forged[0].header.group)])
    let first = try suite.laptop.run("coffer", "sync")
    #expect(first.exitCode == 6 && first.errors.contains("refused 3 records by"), "\(first)")
    #expect(try sync(suite.laptop).exitCode == 0)
  }

  @Test func `Refused records of a machine of the vault are named once, and do not hinder compact`() throws {
    try publishRefused()
    #expect(try suite.laptop.status("refusedRecords") == "3")
    try suite.laptop.coffer("compact")
    #expect(try suite.laptop.status("epoch") == "2")
  }

  @Test func `Refused records that an owner discards are neither listed nor counted, until the log permits them`()
    throws
  {
    try publishRefused()
    let one = String(try #require(try refused(on: suite.laptop).first).version.prefix(12))
    let unasked = try suite.laptop.run("coffer", "refused", "discard", one)
    #expect(unasked.exitCode == 2 && unasked.errors.contains("--yes"), "\(unasked)")
    let printed = try suite.laptop.coffer("refused", "discard", one, "--yes", "--json")
    #expect(printed.contains(one) && printed.contains("\"versionCount\""))
    #expect(try refused(on: suite.laptop).count == 2 && suite.laptop.status("refusedRecords") == "2")
    #expect(try suite.laptop.run("coffer", "refused", "discard", one, "--yes").exitCode == 3)
    try suite.laptop.coffer("refused", "discard", "--all", "--machine", "third", "--yes")
    #expect(try refused(on: suite.laptop).isEmpty && suite.laptop.status("refusedRecords") == "0")
    #expect(try suite.laptop.run("coffer", "refused", "adopt", "--all").errors.contains("nothing to adopt"))
    #expect(try suite.laptop.run("coffer", "refused", "discard", "--all").errors.contains("nothing to discard"))
    try suite.expectSound(suite.laptop)
    let plist = try suite.laptop.directory.write(
      "writer.entitlements", entitlementsPlist(free, groups: ["~" + free, "~" + purchases]))
    try suite.laptop.coffer("app", "add", plist)
    #expect(try suite.laptop.coffer("list", "--json").components(separatedBy: "forged ").count == 4)
    try suite.expectSound(suite.laptop)
  }
}
