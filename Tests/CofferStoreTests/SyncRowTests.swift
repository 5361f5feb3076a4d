import CofferCrypto
import CofferFormat
import Testing

@testable import CofferStore

@Suite struct SyncRowTests {
  private let fixture: TemporaryStore
  private let samples = SampleRecords()
  private var store: Store { fixture.store }

  init() throws { fixture = try TemporaryStore() }

  private func position(_ stream: StreamID, _ number: UInt64) -> StreamPosition {
    StreamPosition(
      stream: stream, number: number, hash: SegmentHash(Hash.digest([UInt8(number)], domain: .segment)))
  }

  private func segment(_ stream: StreamID, _ number: UInt64, device: DeviceID, published: [UInt8]? = [])
    -> StoredSegment
  {
    StoredSegment(
      position: position(stream, number), device: device, envelope: [UInt8(number)], published: published)
  }

  private func device(_ byte: UInt8) -> DeviceID { DeviceID(Bytes16([UInt8](repeating: byte, count: 16)) ?? .zero) }

  @Test func `The outbox returns records in the order written, up to a byte limit, and at least one`() throws {
    let records = (0..<5).map { samples.record("a\($0)", value: [UInt8](repeating: 1, count: 100)) }
    let local = samples.record("local", isDeviceLocal: true)
    try store.insert(records + [local], intoOutbox: true)
    let other = SampleRecords(group: "another")
    try store.insert([other.record("x")], intoOutbox: true)
    #expect(try store.read { try $0.outboxGroups() } == [samples.group, other.group].sorted())
    let all = try store.read { try $0.outbox(in: samples.group, byteLimit: .max) }
    #expect(all.map(\.0) == records.map(\.hash))
    #expect(all.map(\.1) == records.map(\.bytes))
    let size = records[0].bytes.count
    #expect(try store.read { try $0.outbox(in: samples.group, byteLimit: size * 2) }.count == 2)
    #expect(try store.read { try $0.outbox(in: samples.group, byteLimit: 1) }.count == 1)
    try store.write { try $0.removeFromOutbox([records[0].hash, records[1].hash, local.hash]) }
    #expect(try store.read { try $0.outbox(in: samples.group, byteLimit: .max) }.map(\.0) == records[2...].map(\.hash))
    try store.write { try $0.addToOutbox([records[0].hash, records[2].hash, local.hash]) }
    #expect(
      try store.read { try $0.outbox(in: samples.group, byteLimit: .max) }.map(\.0)
        == [records[2], records[3], records[4], records[0]].map(\.hash))
    #expect(try store.read { try $0.outboxCount() } == 5)
  }

  @Test func `The log refuses gaps and repetitions, and discards entries that were never published`() throws {
    try store.write { try $0.appendLogEntry(sequence: 1, entry: [1], envelope: [11], published: []) }
    try store.write { try $0.appendLogEntry(sequence: 2, entry: [2], envelope: [12], published: nil) }
    for (sequence, code) in [(0, StoreError.Code.alreadyExists), (2, .alreadyExists), (4, .missing), (.max, .missing)]
      as [(UInt64, StoreError.Code)]
    {
      let error = #expect(throws: StoreError.self) {
        try store.write { try $0.appendLogEntry(sequence: sequence, entry: [], envelope: [], published: nil) }
      }
      #expect(error?.code == code)
    }
    // A published entry cannot follow one that the remote has not accepted.
    let error = #expect(throws: StoreError.self) {
      try store.write { try $0.appendLogEntry(sequence: 3, entry: [3], envelope: [13], published: []) }
    }
    #expect(error?.code == .missing)
    #expect(try store.read { try $0.logLength() } == 2)
    #expect(try store.write { try $0.discardUnpublishedLog() } == 1)
    #expect(try store.read { try $0.logLength() } == 1)
    try store.write {
      try $0.appendLogEntry(sequence: 2, entry: [2], envelope: [12], published: nil)
      try $0.markLogPublished(2, as: [])
    }
    #expect(try store.write { try $0.discardUnpublishedLog() } == 0)
    #expect(
      try store.read { try $0.logEntries(after: 1) }
        == [StoredLogEntry(sequence: 2, entry: [2], envelope: [12], published: [])])
  }

  @Test func `A stream accepts its segments in order and refuses gaps, repetitions and other devices`() throws {
    let stream = StreamID.random()
    for (number, code) in [(1, StoreError.Code.missing)] as [(UInt64, StoreError.Code)] {
      let error = #expect(throws: StoreError.self) {
        try store.write { try $0.insertSegment(segment(stream, number, device: device(1)), isOwn: false) }
      }
      #expect(error?.code == code)
    }
    try store.write {
      try $0.insertSegment(segment(stream, 0, device: device(1)), isOwn: false)
      try $0.insertSegment(segment(stream, 1, device: device(1), published: nil), isOwn: false)
    }
    let refused: [(UInt64, DeviceID, StoreError.Code)] = [
      (1, device(1), .alreadyExists), (3, device(1), .missing), (2, device(2), .alreadyExists),
      (.max, device(1), .missing),
    ]
    for (number, device, code) in refused {
      let error = #expect(throws: StoreError.self) {
        try store.write {
          try $0.insertSegment(
            StoredSegment(
              position: StreamPosition(stream: stream, number: number, hash: SegmentHash(.zero)), device: device,
              envelope: [], published: []), isOwn: false)
        }
      }
      #expect(error?.code == code)
    }
    #expect(try store.read { try $0.streamHeads() }.map(\.position) == [position(stream, 1)])
    #expect(try store.read { try $0.unpublishedSegments() }.map(\.position.number) == [1])
    try store.write { try $0.markSegmentPublished(stream, 1, as: []) }
    #expect(try store.read { try $0.unpublishedSegments() }.isEmpty)
    #expect(try store.read { try $0.segment(stream, 1) } == segment(stream, 1, device: device(1)))
    #expect(try store.read { try $0.segment(stream, 2) } == nil)
    var numbers: [UInt64] = []
    try store.read { try $0.forEachSegment(of: stream) { numbers.append($0.position.number) } }
    #expect(numbers == [0, 1])
  }

  @Test func `Only foreign streams that advanced since the last report are unreported`() throws {
    let (foreign, own) = (StreamID.random(), StreamID.random())
    try store.write {
      try $0.insertSegment(segment(foreign, 0, device: device(1)), isOwn: false)
      try $0.insertSegment(segment(own, 0, device: device(2)), isOwn: true)
    }
    #expect(try store.read { try $0.unreportedStreamHeads() } == [position(foreign, 0)])
    try store.write { try $0.markReported([position(foreign, 0)]) }
    #expect(try store.read { try $0.unreportedStreamHeads() }.isEmpty)
    try store.write {
      try $0.adoptStreamHead(StreamHead(position: position(foreign, 7), device: device(1), isOwn: false))
      try $0.adoptStreamHead(StreamHead(position: position(foreign, 3), device: device(1), isOwn: false))
      try $0.insertSegment(segment(foreign, 8, device: device(1)), isOwn: false)
      try $0.markReported([position(foreign, 2)])
    }
    #expect(try store.read { try $0.unreportedStreamHeads() } == [position(foreign, 8)])
  }

  @Test func `Segments that take the numbers of withdrawn ones are reported, although those were`() throws {
    let stream = StreamID.random()
    try store.write { writer in
      for number in 0..<3 as Range<UInt64> {
        try writer.insertSegment(segment(stream, number, device: device(1)), isOwn: false)
      }
      try writer.markReported([position(stream, 2)])
      try writer.withdrawSegments(of: stream, from: 1, after: nil)
    }
    #expect(try store.read { try $0.unreportedStreamHeads() }.isEmpty)
    try store.write { try $0.insertSegment(segment(stream, 1, device: device(1)), isOwn: false) }
    #expect(try store.read { try $0.unreportedStreamHeads() } == [position(stream, 1)])
  }

  @Test func `Settings can be added, changed and removed; the root slot can be replaced`() throws {
    #expect(try store.read { try $0.setting(.remoteURL) } == nil)
    try store.write { try $0.setSetting(.remoteURL, [1]) }
    try store.write {
      try $0.setSetting(.remoteURL, [])
      try $0.setRootSlot([8])
    }
    #expect(try store.read { try $0.setting(.remoteURL) } == [])
    #expect(try store.read { try $0.rootSlot() } == [8])
    try store.write { try $0.setSetting(.remoteURL, nil) }
    #expect(try store.read { try $0.setting(.remoteURL) } == nil)
  }
}
