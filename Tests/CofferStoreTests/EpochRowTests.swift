import CofferCrypto
import CofferFormat
import Testing

@testable import CofferStore

/// Checkpoints, snapshots, and versions without contents, as rows.
@Suite struct EpochRowTests {
  private let fixture: TemporaryStore
  private let samples = SampleRecords()
  private let summaryKey = SymmetricKey.random()
  private var store: Store { fixture.store }

  init() throws {
    fixture = try TemporaryStore()
    store.setSummaryKey { [summaryKey] in summaryKey }
    try store.write { [summaryKey] in try $0.replaceSummary(summaryKey) }
  }

  private let device = DeviceID(Bytes16([UInt8](repeating: 1, count: 16)) ?? .zero)
  private let other = DeviceID(Bytes16([UInt8](repeating: 2, count: 16)) ?? .zero)

  private func position(_ stream: StreamID, _ number: UInt64) -> StreamPosition {
    StreamPosition(
      stream: stream, number: number, hash: SegmentHash(Hash.digest([UInt8(number)], domain: .segment)))
  }

  private func insertSegments(_ numbers: Range<UInt64>, of stream: StreamID, isOwn: Bool = false) throws {
    try store.write { writer in
      for number in numbers {
        try writer.insertSegment(
          StoredSegment(
            position: position(stream, number), device: device, envelope: [UInt8(number)], published: [7]),
          isOwn: isOwn)
      }
    }
  }

  private func expectSummary() throws {
    #expect(try store.read { try $0.compareSummary(summaryKey) } == .equal)
  }

  private func skeleton(_ record: Record) throws -> RecordSkeleton { try RecordSkeleton(bytes: record.signedBytes) }

  /// Three versions of an item.
  private func versions() -> (first: Record, second: Record, third: Record) {
    let first = samples.record("a", time: 1)
    let second = samples.record("a", over: [first], time: 2)
    return (first, second, samples.record("a", over: [second], time: 3))
  }

  private func sources(since time: Int64 = 0) throws -> [SnapshotSource.Entry] {
    try store.read {
      try $0.snapshotSources(after: 0, supersededSince: Timestamp(microseconds: time), byteLimit: .max).map(\.entry)
    }
  }

  // MARK: Skeletons

  @Test func `Pruning keeps the signed bytes of a version, which a snapshot has`() throws {
    let versions = versions()
    try store.insert([versions.first, versions.second, versions.third])
    #expect(try store.write { try $0.pruneHistory(supersededBefore: Timestamp(microseconds: .max)) } == 2)
    let entries = try sources()
    #expect(entries.prefix(2) == [.superseded(versions.first.signedBytes), .superseded(versions.second.signedBytes)])
    guard case .head(let head)? = entries.last, entries.count == 3 else { return #expect(Bool(false), "\(entries)") }
    #expect(try head.record() == versions.third)
    #expect(try store.read { try $0.record(versions.first.hash) } == nil)
    try expectSummary()
  }

  @Test func `A version without contents covers its bases, whichever comes first`() throws {
    let versions = versions()
    let item = samples.item("a")
    try store.insert([versions.first])
    let changes = try store.write { writer in
      let isNew = try writer.insert(skeleton(versions.second))
      try writer.insert(versions.third, validity: .valid, intoOutbox: false)
      return (isNew, try writer.finishSkeletons())
    }
    #expect(changes == (true, 0))
    #expect(try store.heads(item, samples.group) == [versions.third.hash])
    #expect(try store.read { try $0.itemCount(in: samples.group) } == 1)
    try expectSummary()

    let later = try TemporaryStore()
    try later.store.write { writer in
      try writer.insert(skeleton(versions.second))
      try writer.insert(versions.third, validity: .valid, intoOutbox: false)
      try writer.finishSkeletons()
    }
    // The version of a machine that was absent for long does not count again.
    try later.store.insert([versions.first])
    #expect(try later.store.heads(item, samples.group) == [versions.third.hash])
    #expect(try later.store.read { try $0.conflictCount(in: samples.group) } == 0)
  }

  @Test func `A version without contents that nothing supersedes hides no other one`() throws {
    let versions = versions()
    let fourth = samples.record("a", over: [versions.third], time: 4)
    try store.insert([versions.first])
    let removedCount = try store.write { writer in
      for record in [versions.second, versions.third, fourth] { try writer.insert(skeleton(record)) }
      return try writer.finishSkeletons()
    }
    #expect(removedCount == 3)
    #expect(try store.heads(samples.item("a"), samples.group) == [versions.first.hash])
    #expect(try store.read { try $0.itemCount(in: samples.group) } == 1)
    #expect(try sources().count == 1)
    try expectSummary()
  }

  @Test func `The bytes of a version without contents are kept for one that was pruned without them`() throws {
    let versions = versions()
    try store.insert([versions.first, versions.second])
    _ = try store.write { try $0.pruneHistory(supersededBefore: Timestamp(microseconds: .max)) }
    // As a program of store version 6 has left the row.
    try store.write { _ = try $0.connection.run("DELETE FROM skeleton") }
    #expect(try sources().count == 1)
    let isNew = try store.write { writer in
      // The second time, it is there. What has its contents needs no skeleton.
      let isNew = try [versions.first, versions.first, versions.second].map { try writer.insert(skeleton($0)) }
      try writer.finishSkeletons()
      return isNew
    }
    #expect(isNew == [true, false, false])
    #expect(try sources().first == .superseded(versions.first.signedBytes))
  }

  @Test func `Contents that arrive for a version without them make it count if nothing supersedes it`() throws {
    let versions = versions()
    try store.write { writer in
      try writer.insert(skeleton(versions.first))
      try writer.insert(versions.second, validity: .valid, intoOutbox: false)
      try writer.finishSkeletons()
    }
    #expect(try store.write { try $0.insert(versions.first, validity: .valid, intoOutbox: false) } == false)
    try store.write { try $0.remove(versions.second.hash) }
    #expect(try store.write { try $0.insert(versions.first, validity: .valid, intoOutbox: false) })
    #expect(try store.heads(samples.item("a"), samples.group) == [versions.first.hash])
    #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM skeleton") } == 0)
    try expectSummary()
  }

  // MARK: Snapshots

  @Test func `A snapshot has heads, tombstones and recently superseded versions, and nothing that stays here`() throws {
    let versions = versions()
    let deleted = samples.record("b", isTombstone: true)
    let local = samples.record("c", isDeviceLocal: true)
    let unknown = samples.record("d")
    try store.insert([versions.first, versions.second, deleted, local])
    try store.insert([unknown], validity: .unadmitted)
    var kinds = try sources().map { entry in
      switch entry {
      case .head: "head"
      case .superseded: "superseded"
      case .unadmitted: "unadmitted"
      }
    }
    #expect(kinds == ["superseded", "head", "head", "unadmitted"])
    kinds = try sources(since: .max).map { "\($0)".prefix(4).description }
    #expect(kinds == ["head", "head", "unad"])
    let pages = try store.read { reader in
      var last: Int64 = 0
      var pages = 0
      while let end = try reader.snapshotSources(
        after: last, supersededSince: Timestamp(microseconds: 0), byteLimit: 1
      ).last {
        last = end.row
        pages += 1
      }
      return pages
    }
    #expect(pages == 4)
    #expect(try store.read { try $0.sharedHeads() } == [versions.second.hash, deleted.hash])
    try store.write { try $0.addToOutbox([deleted.hash]) }
    #expect(try store.read { try $0.sharedHeads() } == [versions.second.hash])
  }

  @Test func `A tombstone that only device-local versions supersede is a head in a snapshot, whatever was pruned`()
    throws
  {
    let first = samples.record("a", time: 1)
    let deleted = samples.record("a", over: [first], time: 2, isTombstone: true)
    let local = samples.record("a", over: [deleted], time: 3, isDeviceLocal: true)
    let renamed = samples.record(
      "a", over: [deleted, local], time: 4, isTombstone: true, successor: samples.item("b"), isDeviceLocal: true)
    func heads() throws -> [Record] {
      try sources(since: .max).compactMap { entry in
        guard case .head(let stored) = entry else { return nil }
        return try stored.record()
      }
    }
    func prune() throws -> Int {
      try store.write { try $0.pruneHistory(supersededBefore: Timestamp(microseconds: .max)) }
    }
    try store.insert([first, deleted, local])
    #expect(try heads() == [deleted])
    #expect(try prune() == 1)
    try store.insert([renamed])
    #expect(try prune() == 1)
    #expect(try heads() == [deleted])
    #expect(try store.read { try $0.sharedHeads() } == [deleted.hash])
    #expect(try store.heads(samples.item("a"), samples.group) == [renamed.hash])
    try expectSummary()
    // Coffer 0.2.0 has pruned such tombstones.
    try store.write { writer in
      try writer.connection.run("INSERT INTO skeleton SELECT id, 1, signed FROM record WHERE id = 2")
      try writer.connection.run("UPDATE record SET standing = 3, tokens = x'', signed = x'' WHERE id = 2")
    }
    #expect(try heads() == [deleted])
    let shared = samples.record("a", over: [deleted, renamed], time: 5)
    try store.insert([shared])
    #expect(try heads() == [shared])
    #expect(try store.read { try $0.sharedHeads() } == [shared.hash])
  }

  @Test func `The epoch is the first one until another is set, and an unreadable setting is an error`() throws {
    #expect(try store.read { try $0.epochBranch() } == .first)
    let branch = try #require(EpochBranch(epoch: 2, tagged: 7))
    try store.write { try $0.setEpoch(branch, opening: [1]) }
    #expect(try store.read { try $0.epochBranch() } == branch)
    #expect(try store.read { try $0.setting(.epochOpening) } == [1])
    try store.write { try $0.setSetting(.epochBranch, Array("vault-x".utf8)) }
    #expect(throws: StoreError.self) { try store.read { try $0.epochBranch() } }
  }

  @Test func `Checkpoints and chunks are stored, replaced and marked, and chunks of other epochs are deleted`() throws {
    let key = SigningKey.random()
    func checkpoint(_ epoch: UInt32, time: Int64, chunks: [Bytes32] = []) -> Checkpoint {
      Checkpoint(
        vault: samples.vault, epoch: epoch,
        after: epoch == 2 ? .beforeFirst : CheckpointHash(Hash.digest([1], domain: .checkpoint)),
        log: LogPosition(sequence: 1, hash: EntryHash(.zero)), time: Timestamp(microseconds: time), streams: [],
        chunks: chunks, device: device, key: key)
    }
    func chunk(_ epoch: UInt32, _ number: UInt32, _ byte: UInt8) -> SnapshotChunk {
      SnapshotChunk(vault: samples.vault, epoch: epoch, number: number, entries: [.skeleton([byte])])
    }
    let second = checkpoint(2, time: 2)
    try store.write { writer in
      try writer.insert(checkpoint(2, time: 1), published: [1])
      try writer.insert(second, published: nil)
      try writer.insert(checkpoint(3, time: 1, chunks: [chunk(3, 0, 1).hash]), published: nil)
      try writer.markPublished(.checkpoint(3), as: [3])
      // The last one is of another snapshot of that epoch.
      for (epoch, number) in [(2, 0), (2, 1), (3, 0), (3, 1)] as [(UInt32, UInt32)] {
        try writer.insert(chunk(epoch, number, 1), published: [1])
      }
      try writer.insert(chunk(2, 1, 2), published: nil)
      try writer.markPublished(.chunk(0, epoch: 2), as: [9])
    }
    #expect(try store.read { try $0.object(.checkpoint(2)) } == second.bytes)
    #expect(try store.read { try $0.object(.checkpoint(4)) } == nil)
    #expect(try store.read { try $0.objects(.checkpoint).map(\.key) } == [.checkpoint(2), .checkpoint(3)])
    #expect(try store.read { try $0.objects(.checkpoint).map(\.published) } == [[1], [3]])
    #expect(try store.read { try $0.object(.chunk(1, epoch: 2)) } == chunk(2, 1, 2).bytes)
    #expect(try store.read { try $0.objects(.chunk).map(\.published) } == [[9], [1], [1], [1]])
    try expectSummary()
    try store.write { try $0.deleteChunks(exceptOf: 3) }
    #expect(try store.read { try $0.objects(.chunk).map(\.key) } == [.chunk(0, epoch: 3)])
    try expectSummary()
  }

  // MARK: Streams

  @Test func `The segments that a snapshot covers leave the store, and the next one follows them`() throws {
    let stream = StreamID.random()
    try insertSegments(0..<4, of: stream)
    try store.write { try $0.coverSegments(through: CoveredStream(position: position(stream, 2), device: device)) }
    #expect(try store.read { try $0.streamHead(of: stream)?.position } == position(stream, 3))
    var numbers: [UInt64] = []
    try store.read { try $0.forEachSegment(of: stream) { numbers.append($0.position.number) } }
    #expect(numbers == [3])
    // What others have seen of them is met.
    #expect(try store.read { try $0.comparison(with: position(stream, 1)) } == .held)
    // Behind the snapshot, and unknown.
    let unknown = StreamID.random()
    try store.write { writer in
      try writer.coverSegments(through: CoveredStream(position: position(stream, 9), device: device))
      try writer.coverSegments(through: CoveredStream(position: position(unknown, 5), device: other))
    }
    #expect(try store.read { try $0.streamHeads().count } == 2)
    #expect(try store.read { try $0.streamHead(of: stream)?.position } == position(stream, 9))
    #expect(try store.read { try $0.unreportedStreamHeads() }.isEmpty)
    try expectSummary()
    try insertSegments(10..<11, of: stream)
    try store.write { try $0.unpublishSegments() }
    #expect(try store.read { try $0.unpublishedSegments().map(\.position.number) } == [10])
    #expect(throws: StoreError.self) {
      try store.write { try $0.coverSegments(through: CoveredStream(position: position(stream, 11), device: other)) }
    }
    try expectSummary()
  }

  @Test(arguments: [(1, true), (2, true), (3, false)] as [(UInt64, Bool)])
  func `A machine leaves its own stream only if the snapshot knows more of it`(last: UInt64, isKept: Bool) throws {
    let stream = StreamID.random()
    try insertSegments(0..<3, of: stream, isOwn: true)
    try store.write { writer in
      try writer.setSetting(.ownStream, stream.raw.bytes)
      try writer.coverSegments(through: CoveredStream(position: position(stream, last), device: device))
    }
    #expect(try store.read { try $0.setting(.ownStream) != nil } == isKept)
  }

  @Test func `The places of pending records are found by segment and by copy, and stay with their contents`() throws {
    let stream = StreamID.random()
    try insertSegments(0..<3, of: stream)
    let record = samples.record("a")
    func place(_ number: UInt64, log: UInt64) -> UnadmittedRecord {
      UnadmittedRecord(
        hash: record.copyHash, stream: stream, number: number, device: device, log: log, author: samples.author,
        group: samples.group, generation: 1, isAuthentic: true)
    }
    try store.write { writer in
      try writer.insertUnadmitted(record, place(1, log: 9))
      try writer.insertUnadmitted(record, place(2, log: 8))
    }
    #expect(try store.read { try $0.unadmittedSegments(of: stream, through: 1) } == [1])
    #expect(try store.read { try $0.unadmittedSegments(of: stream, through: 5) } == [1, 2])
    #expect(try store.read { try $0.unadmitted(in: stream, 1) } == [place(1, log: 9)])
    #expect(try store.read { try $0.unadmittedPlace(of: record.copyHash) } == place(2, log: 8))
    #expect(try store.read { try $0.unadmittedPlace(of: samples.record("b").copyHash) } == nil)
    try store.write { writer in
      for number: UInt64 in [1, 2] {
        for place in try writer.unadmitted(in: stream, number) {
          try writer.removeUnadmitted(in: stream, number)
          try writer.insertContents(of: record, place)
        }
      }
      try writer.coverSegments(through: CoveredStream(position: position(stream, 2), device: device))
    }
    #expect(try store.read { try $0.unadmittedPlace(of: record.copyHash) } == place(2, log: 8))
    #expect(try store.read { try $0.unadmittedByteCounts().all } > 0)
    // No segment contains it any more.
    #expect(try store.read { try $0.unadmittedSegments(of: stream, through: 5) }.isEmpty)
    try expectSummary()
  }
}
