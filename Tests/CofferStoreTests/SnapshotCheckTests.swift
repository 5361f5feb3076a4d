import CofferCrypto
import CofferFormat
import Testing

@testable import CofferStore

/// Repairs of rows that a snapshot and signed bytes prove.
@Suite struct SnapshotCheckTests {
  private let fixture: TemporaryStore
  private let samples = SampleRecords()
  private let first: Record
  private let second: Record
  private let third: Record
  private let checkpoint: Checkpoint
  private let chunks: [SnapshotChunk]
  private let stream = StreamID.random()
  private let device = DeviceID(Bytes16([UInt8](repeating: 1, count: 16)) ?? .zero)
  private var store: Store { fixture.store }

  /// A store of the second epoch: an item of which the last version is in the snapshot, and the first two as skeletons,
  /// and one with a version in the outbox.
  init() throws {
    fixture = try TemporaryStore()
    first = samples.record("a", time: 1)
    second = samples.record("a", over: [first], time: 2)
    third = samples.record("a", over: [second], time: 3)
    chunks = [
      SnapshotChunk(
        vault: samples.vault, epoch: 2, number: 0,
        entries: [.skeleton(first.signedBytes), .skeleton(second.signedBytes)]),
      SnapshotChunk(vault: samples.vault, epoch: 2, number: 1, entries: [.record(third.bytes)]),
    ]
    let end = StreamPosition(stream: stream, number: 4, hash: SegmentHash(Hash.digest([4], domain: .segment)))
    checkpoint = Checkpoint(
      vault: samples.vault, epoch: 2, after: .beforeFirst, log: LogPosition(sequence: 1, hash: EntryHash(.zero)),
      time: Timestamp(microseconds: 3), streams: [CoveredStream(position: end, device: device)],
      chunks: chunks.map(\.hash), device: device, key: .random())
    try store.write { writer in
      try writer.setSetting(.remoteURL, [1])
      try writer.insert(checkpoint, published: nil)
      for chunk in chunks { try writer.insert(chunk, published: nil) }
      try writer.insert(third, validity: .valid, intoOutbox: false)
      for record in [first, second] { try writer.insert(RecordSkeleton(bytes: record.signedBytes)) }
      try writer.finishSkeletons()
      for covered in checkpoint.streams { try writer.coverSegments(through: covered) }
    }
    try store.insert([samples.record("b")], intoOutbox: true)
  }

  private func context(isCheckpointKnown: Bool = true) -> CheckContext {
    CheckContext(
      openSegment: { _ in nil }, verdict: { $0.isSigned(by: samples.signer.publicKey) ? .valid : .invalid },
      permits: { _ in true }, isGenuine: { $0.isSigned(by: samples.signer.publicKey) },
      epoch: .init(number: 2, checkpoint: isCheckpointKnown ? checkpoint : nil), isAuthor: { _ in true },
      mayClaim: { _ in true }, device: device, logLength: 1, isLogSound: true, isRevalidated: true,
      awaitsSegments: false, isImportComplete: false, recordCount: nil, historyStart: Timestamp(microseconds: 0),
      progress: { _, _ in })
  }

  private func differences() throws -> [StoreDifference] {
    try store.read { try StoreCheck($0, context()).run().listed }
  }

  private func change(_ sql: String) throws {
    let count = try store.write { try $0.connection.run(sql) }
    #expect(count > 0, "\(sql)")
  }

  /// Expects one difference, which a repair ends.
  private func expectRepaired(_ table: String, _ remedy: StoreDifference.Remedy, after sql: String) throws {
    try change(sql)
    let found = try differences()
    #expect(found.contains { $0.table == table && $0.remedy == remedy }, "\(sql): \(found)")
    _ = try store.write { try StoreCheck($0, context()).run() }
    let left = try differences().filter { $0.remedy != .remote }
    #expect(left.isEmpty, "\(sql): \(left)")
    #expect(try store.heads(samples.item("a"), samples.group) == [third.hash], "\(sql)")
  }

  @Test func `A sound store of a later epoch has no difference`() throws {
    #expect(try differences().isEmpty)
    // A superseded version that is in no segment any more is not sent again.
    let fourth = samples.record("b", over: [samples.record("b")])
    try store.insert([fourth], intoOutbox: true)
    try store.write { try $0.removeFromOutbox([samples.record("b").hash]) }
    #expect(try differences().isEmpty)
  }

  @Test func `A record that is missing is restored from the snapshot`() throws {
    try expectRepaired("record", .restored, after: "DELETE FROM record WHERE head = 1 AND id = 1")
    #expect(try store.read { try $0.record(third.hash)?.record() } == third)
  }

  @Test func `A current version that is in no segment and in no chunk is sent`() throws {
    try expectRepaired("outbox", .derived, after: "DELETE FROM outbox")
    #expect(try store.read { try $0.outboxCount() } == 1)
  }

  @Test func `A tombstone that only device-local versions supersede is sent if it is in no segment and in no chunk`()
    throws
  {
    let deleted = samples.record("c", time: 1, isTombstone: true)
    let local = samples.record("c", over: [deleted], time: 2, isDeviceLocal: true)
    try store.insert([deleted, local, samples.record("c", over: [deleted, local], time: 3, isDeviceLocal: true)])
    #expect(try store.write { try $0.pruneHistory(supersededBefore: Timestamp(microseconds: .max)) } == 1)
    #expect(try differences().map(\.table) == ["outbox"])
    _ = try store.write { try StoreCheck($0, context()).run() }
    #expect(try differences().isEmpty)
    #expect(try store.read { try $0.outbox(in: samples.group, byteLimit: .max) }.last?.1 == deleted.bytes)
  }

  @Test func `Wrong columns of an old version are repaired from its signed bytes`() throws {
    try expectRepaired("record", .derived, after: "UPDATE record SET bases = x'' WHERE standing = 3 AND id = 3")
    try expectRepaired("record", .derived, after: "UPDATE record SET item = x'00' WHERE standing = 3 AND id = 2")
  }

  @Test func `Signed bytes that nobody signed are removed, and so are those of no old version`() throws {
    try expectRepaired("skeleton", .lost, after: "UPDATE skeleton SET signed = x'00' WHERE record = 2")
    try expectRepaired("skeleton", .derived, after: "INSERT INTO skeleton VALUES (777, 1, x'00')")
  }

  @Test(arguments: [
    "DELETE FROM object", "UPDATE object SET bytes = x'00'", "UPDATE object SET name = x'00'",
    "UPDATE object SET name = x'0000000200000007'",
  ])
  func `A chunk that is damaged or missing is fetched again, and nothing is sent meanwhile`(sql: String) throws {
    try expectRepaired("chunk", .remote, after: "\(sql) WHERE kind = 'chunk' AND name = x'0000000200000001'")
    #expect(try store.read { try $0.outboxCount() } == 1)
    #expect(try store.read { try $0.objects(.chunk).map(\.key) } == [.chunk(0, epoch: 2)])
    #expect(try differences().map(\.table) == ["chunk"])
  }

  @Test func `The position of a covered stream is restored from the checkpoint`() throws {
    try expectRepaired("stream", .derived, after: "DELETE FROM stream")
    #expect(try store.read { try $0.streamHead(of: stream)?.position.number } == 4)
    try expectRepaired(
      "segment", .derived, after: "INSERT INTO segment VALUES (1, x'\(stream)', 2, x'', x'', x'', x'')")
    #expect(try store.read { try $0.segment(stream, 2) } == nil)
  }

  @Test func `Without the checkpoint, nothing is sent and no position changes`() throws {
    let before = try store.read { try $0.streamHeads() }
    let report = try store.write { writer in
      let check = StoreCheck(writer, context(isCheckpointKnown: false))
      let found = try check.run()
      #expect(!check.isOutboxKnown)
      return found
    }
    #expect(report.listed.map(\.table) == ["checkpoint"] && report.listed.first?.remedy == .remote)
    #expect(try store.read { try $0.streamHeads() } == before)
    #expect(try store.read { try $0.outboxCount() } == 1)
  }
}
