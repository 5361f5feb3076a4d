internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// Imports segments and their records, also those of lanes.
struct SegmentImport: ImportPart {
  let session: SyncSession
  var repairs = RemoteRepairs()
  /// The files of segments that this machine does not have yet.
  var files: [StreamID: [UInt64: ObjectID]] = [:]
  /// The checkpoint that begins the epoch; nil for the first epoch, and if the store has lost it.
  var checkpoint: Checkpoint?
  var hasUnresolvedEntries = false
  /// The records and files that this import has found refused.
  var refusals = FoundRefusals()
  /// What is remembered of refused files, before and after this import.
  private var refusedFiles: (before: RememberedTips, after: RememberedTips)?
  /// The lanes that were imported.
  var lanes: [LaneContents] = []

  init(_ session: SyncSession) { self.session = session }

  /// Imports new segments, stream by stream.
  mutating func run() throws {
    try setAsideCoveredSegments()
    let refused = try setAsideRefusedSegments()
    let total = files.values.reduce(0) { $0 + $1.count }
    if total > 0 { try local.store.enlargeCache() }
    for stream in files.keys.sorted() { try restoreSegments(of: stream) }
    let found = files.sorted { $0.key < $1.key }.flatMap { stream, segments in
      segments.sorted { $0.key < $1.key }.map { (stream: stream, number: $0.key, blob: $0.value) }
    }
    var left = LeftFiles(remaining: found[...])
    left.upcoming = try openFirst(of: left)
    while !left.remaining.isEmpty {
      try importBatch(of: &left)
      report(imported: found.count - left.remaining.count, of: total)
    }
    refusedFiles = (refused, refused.adding(refusals.files, keeping: refused.tips.union(refusals.files)))
  }

  /// Remembers which files are refused for good, and need not be read again. Their problems must have been kept: the
  /// next sync does not name them.
  func rememberRefusedFiles() throws {
    guard let refusedFiles else { return }
    try refusedFiles.after.save(over: refusedFiles.before, in: local.store)
  }

  /// Removes files of segments from the remote that were refused for good and named before the log changed the last
  /// time. Whoever puts them there again does not make each machine read them again. Returns what is remembered of such
  /// files.
  private mutating func setAsideRefusedSegments() throws -> RememberedTips {
    let remembered = try local.store.read { try RememberedTips.load(.refusedFiles, from: $0) }
    guard !remembered.tips.isEmpty else { return remembered }
    for (stream, segments) in files {
      for (number, blob) in segments where remembered.tips.contains(blob) {
        guard try local.store.read({ try $0.segment(stream, number) }) == nil else { continue }
        files[stream]?[number] = nil
        try setAside(.segment(stream, number), UnsoundObject("it was refused before", .refused))
      }
    }
    return remembered
  }

  /// Imports up to 64 segments, or 8 MiB, of any streams in one transaction. Whoever reads meanwhile then usually sees
  /// a version together with those that it replaces, and no conflict between them. The disk acknowledges a transaction,
  /// which takes longer than the import of most segments. A segment that is not valid changes nothing, because its own
  /// writes are a nested transaction. If the program is killed, the next sync imports the batch again: the store does
  /// not know it.
  private mutating func importBatch(of left: inout LeftFiles) throws {
    try local.store.write { _ in
      left.batchByteCount = 0
      for _ in 0..<Self.batchSegmentCount {
        // Other programs wait for the transaction.
        guard left.batchByteCount < Self.batchByteCount, let (stream, number, blob) = left.remaining.popFirst() else {
          return
        }
        let opened = left.upcoming
        left.upcoming = try openFirst(of: left)
        try importSegment(number, of: stream, blob, opened, &left)
      }
    }
  }

  /// The files that are left to import.
  private struct LeftFiles {
    /// The files, stream by stream, in ascending order of the numbers of their segments.
    var remaining: ArraySlice<(stream: StreamID, number: UInt64, blob: ObjectID)>
    /// The first of these, if its records are examined already.
    var upcoming: UpcomingSegment?
    /// How many bytes the transaction has imported.
    var batchByteCount = 0
    /// The last stream of which a segment was reported. Those after it do not follow the one before them either.
    var faultyStream: StreamID?
  }

  /// Opens the segment that is imported next. Nil if there is none, if the store has one in its place, if it is very
  /// large, or if it will not count, which its import reports.
  private func openFirst(of left: LeftFiles) throws -> UpcomingSegment? {
    guard let (stream, number, blob) = left.remaining.first,
      try local.store.read({ try $0.segment(stream, number) }) == nil
    else { return nil }
    return try UnsoundObject.ignoring { () -> UpcomingSegment? in
      let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
      guard bytes.count <= UpcomingSegment.maximumByteCount else { return nil }
      let (envelope, segment) = try unseal(bytes)
      let membership = try local.publishedMembership()
      guard membership.counts(.segment(segment.position), by: segment.device, isSigned: segment.isSigned(by:)) else {
        return nil
      }
      let upcoming = UpcomingSegment(blob: blob, envelope: envelope, segment: segment)
      upcoming.examineRecords(by: membership)
      return upcoming
    } ?? nil
  }

  /// Whether the snapshot of this epoch contains the records of a segment.
  func isCovered(_ number: UInt64, of stream: StreamID) -> Bool {
    checkpoint?.end(of: stream).map { number <= $0.position.number } ?? false
  }

  /// Removes the files of segments whose records the snapshot contains: nobody writes one there.
  private mutating func setAsideCoveredSegments() throws {
    for stream in files.keys.sorted() {
      for number in (files[stream] ?? [:]).keys.sorted() where isCovered(number, of: stream) {
        reportUnsound("has a segment \(number) of stream \(stream) that is not valid: it is in the snapshot")
        try setAside(.segment(stream, number), UnsoundObject("it is in the snapshot", .invalid))
        files[stream]?[number] = nil
      }
    }
  }

  private static let batchSegmentCount = 64
  private static let batchByteCount = 8 << 20

  private mutating func importSegment(
    _ number: UInt64, of stream: StreamID, _ blob: ObjectID, _ opened: UpcomingSegment?, _ left: inout LeftFiles
  ) throws {
    let opened = opened?.blob == blob ? opened : nil
    let mine = try local.store.read { try $0.segment(stream, number) }
    do {
      let bytes = try opened?.envelope.bytes ?? repository.blob(blob, maximumByteCount: Limits.objectByteCount)
      left.batchByteCount += bytes.count
      if let mine, mine.envelope == bytes {
        return try local.store.write { try $0.markSegmentPublished(stream, number, as: blob.bytes) }
      }
      let (envelope, segment) = try opened.map { ($0.envelope, $0.segment) } ?? unseal(bytes)
      try check(segment, stream: stream, number: number)
      if let mine, mine.position.hash == segment.position.hash {
        return try adopt(segment, envelope, as: blob, inPlaceOf: mine)
      }
      if let mine, mine.device == segment.device {
        try checkNotFinal(mine, replacedBy: segment)
        if mine.isPublished { try reportOtherSegment(number, of: stream, by: segment.device) }
        // The other segment remains, and the records of this one go into a stream of this machine.
        try withdraw(stream, from: number)
        FaultPoint.reached(.segmentsWithdrawn)
      } else if try mine == nil && isOwn(stream) {
        try local.store.write { try $0.setSetting(.ownStream, nil) }
      }
      try importSegment(segment, envelope, as: blob, examined: opened?.examinedRecords())
      FaultPoint.reached(.segmentImported)
    } catch {
      guard let fault = UnsoundObject(error) else { throw error }
      if left.faultyStream != stream {
        reportUnsound("has a segment \(number) of stream \(stream) that is not valid: \(fault.reason)")
      }
      left.faultyStream = stream
      try setAside(.segment(stream, number), fault, mine: mine)
      if fault.verdict == .refused, mine == nil { refusals.files.insert(blob) }
    }
  }

  /// Takes over the sealed form of a segment that this machine has, and that was verified. Whoever holds the transport
  /// key can seal a segment again, as its machine has sealed it in every other way.
  private func adopt(_ segment: Segment, _ envelope: Envelope, as blob: ObjectID, inPlaceOf mine: StoredSegment) throws
  {
    if let held = try? Envelope(bytes: mine.envelope), let own = mine.segment(openedBy: device) {
      guard envelope.generation == held.generation else {
        throw UnsoundObject("it was sealed again under another transport key", .invalid)
      }
      // Its machine can make any number of signatures. All others keep the same one of those that they have seen.
      guard !own.bytes.lexicographicallyPrecedes(segment.bytes) else {
        throw UnsoundObject("it has another signature", .invalid)
      }
    }
    try local.store.write {
      try $0.replaceSegmentEnvelope(segment.stream, segment.number, by: envelope.bytes, as: blob.bytes)
    }
  }

  /// Throws if the revocation of a machine states which segment has this number: this machine has all of them up to the
  /// one that the revocation names as the last of the stream.
  mutating func checkNotFinal(_ mine: StoredSegment, replacedBy segment: Segment) throws {
    let membership = try local.publishedMembership()
    guard let last = membership.devices[segment.device]?.lastSegments[segment.stream],
      let head = try local.store.read({ try $0.streamHead(of: segment.stream) }), head.position == last
    else { return }
    // Its records are not lost: those that the revocation does not list are refused.
    throw try refusal(
      of: segment, "it is not the one that \(membership.name(of: segment.device)) had published before it was revoked")
  }

  /// Notes a segment that cannot be used.
  private mutating func setAside(_ place: RemoteLayout.Place, _ fault: UnsoundObject, mine: StoredSegment?) throws {
    guard case .segment(let stream, _) = place else { return }
    if let mine, fault.isUnread || mine.isPublished && fault.verdict != .unverified {
      // This machine's segment replaces what cannot be read or is not valid in its place.
      if mine.isPublished { repairs.lost.insert(place) }
      return
    }
    try setAside(place, fault)
    // What may be valid is not replaced: this machine goes on in another stream.
    guard repairs.unresolved.contains(place), try isOwn(stream) else { return }
    if let mine {
      try withdraw(stream, from: mine.position.number)
    } else {
      try local.store.write { try $0.setSetting(.ownStream, nil) }
    }
  }

  private func isOwn(_ stream: StreamID) throws -> Bool {
    try local.store.read { try $0.value(.ownStream) } == stream
  }

  /// Reports that a machine has signed two segments under one number.
  private func reportOtherSegment(_ number: UInt64, of stream: StreamID, by device: DeviceID) throws {
    let machine = try local.membership().name(of: device)
    try reportOnce(
      .contradiction,
      "\(url) has another segment \(number) of stream \(stream) than this machine has seen, signed by \(machine) too: \(machine) was copied or restored from a backup, or the host shows different contents; the items of both are kept"
    )
  }

  /// Stores segments again that the store has lost in the middle of a stream or at its end, beginning with the last
  /// one: each is named by the one after it, and the last one by the stream's head.
  private mutating func restoreSegments(of stream: StreamID) throws {
    guard let head = try local.store.read({ try $0.streamHead(of: stream) }) else { return }
    for (number, blob) in (files[stream] ?? [:]).sorted(by: { $0.key > $1.key })
    where number <= head.position.number {
      guard try local.store.read({ try $0.segment(stream, number) }) == nil else { continue }
      do {
        let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
        let (envelope, segment) = try openSegment(bytes, stream: stream, number: number)
        guard try segment.position.hash == hash(ofSegment: number, before: head), segment.device == head.device else {
          throw UnsoundObject("it is not the one that this machine has seen")
        }
        try local.store.write { _ in
          try importRecords(of: segment, isStored: true) { writer in
            try writer.restoreSegment(
              StoredSegment(
                position: segment.position, device: segment.device, envelope: envelope.bytes, published: blob.bytes))
          }
          try reportOnce(
            .store, "the store lacked segment \(number) of stream \(stream); it was restored from \(url)")
        }
      } catch {
        guard let fault = UnsoundObject(error) else { throw error }
        reportProblem(
          .unusable, "has a segment \(number) of stream \(stream) that is not valid: \(fault.reason)")
        repairs.unresolved.insert(.segment(stream, number))
      }
      files[stream]?[number] = nil
    }
  }

  /// Returns the hash of a lost segment by the segment after it, or nil if that one is lost too.
  private func hash(ofSegment number: UInt64, before head: StreamHead) throws -> SegmentHash? {
    if number == head.position.number { return head.position.hash }
    guard let next = try local.store.read({ try $0.segment(head.position.stream, number + 1) }) else { return nil }
    return try translatingErrors { try open(next.envelope)?.previous }
  }

  /// Opens a segment from the store. Returns nil if this machine lacks its transport key.
  func open(_ envelope: [UInt8]) throws(FormatError) -> Segment? {
    let envelope = try Envelope(bytes: envelope)
    guard let key = device.transportKey(envelope.generation) else { return nil }
    return try Segment(bytes: envelope.open(with: key.key))
  }

  /// Opens a file of a segment, and verifies that the segment belongs to its place.
  mutating func openSegment(_ bytes: [UInt8], stream: StreamID, number: UInt64) throws -> (Envelope, Segment) {
    let (envelope, segment) = try unseal(bytes)
    try check(segment, stream: stream, number: number)
    return (envelope, segment)
  }

  private func unseal(_ bytes: [UInt8]) throws -> (Envelope, Segment) {
    let envelope = try Envelope(bytes: bytes)
    guard envelope.content == .segment else { throw FormatError(.otherKind, object: "segment", field: "content") }
    guard let key = device.transportKey(envelope.generation) else {
      throw UnsoundObject("it is sealed under an unknown transport key", .unannounced)
    }
    return (envelope, try Segment(bytes: envelope.open(with: key.key)))
  }

  /// Verifies that a machine that may write has signed a segment for a place.
  private mutating func check(_ segment: Segment, stream: StreamID, number: UInt64) throws {
    // Not by drafts: what a revocation would refuse belongs to it, until it is published.
    let membership = try local.publishedMembership()
    guard segment.vault == membership.vault else { throw FormatError(.otherVault, object: "segment", field: "vault") }
    guard segment.stream == stream, segment.number == number else {
      throw UnsoundObject("it belongs to another place", .invalid)
    }
    guard let author = membership.devices[segment.device] else {
      // A machine writes only after its entry is on the remote. If somebody has removed that, each machine that has it
      // puts it back, and the segment too. Of a fork, the entry may be on the other branch.
      let isUnknown =
        try local.fork() == nil && local.store.read { try local.branches(in: $0) }.chain.devices[segment.device] == nil
      throw UnsoundObject("the machine that wrote it is not enrolled", isUnknown ? .unannounced : .unverified)
    }
    guard segment.isSigned(by: author.keys.verifying) else {
      throw FormatError(.badSignature, object: "segment", field: "signature")
    }
    switch membership.refusal(of: .segment(segment.position), by: segment.device) {
    case nil: break
    case .readOnly:
      // Its records are not kept either: nobody can make one valid, and whoever has got hold of its keys would fill the
      // space for those that an admin can adopt.
      throw UnsoundObject("\(membership.name(of: segment.device)) signed it, which may only read", .invalid)
    case .unknown, .revoked, .notOfAdmin:
      throw try refusal(of: segment, "it was written after \(membership.name(of: segment.device)) was revoked")
    }
    try checkName(ofStream: stream, of: segment.device, in: membership)
  }

  /// Keeps the records of a segment of a revoked machine as refused ones, which an admin can adopt, and returns the
  /// error for the segment. Of records that the log will never permit, as many are kept as there is space for. The file
  /// stays if a record that it may permit is not kept.
  private mutating func refusal(of segment: Segment, _ reason: String) throws -> UnsoundObject {
    let finality = try RefusalFinality(isUndisputed: local.fork() == nil, isLogComplete: isLogComplete())
    let isFinal = try importRecords(of: segment, isStored: false, intoOutbox: true, finality: finality) { _ in }
    return UnsoundObject(reason, isFinal ? .refused : .unverified)
  }

  /// Imports a segment that was verified. `blob` is its file on the vault's branch; nil if it is only in a lane. Its
  /// records may have been examined before. Throws `UnsoundObject` if it does not follow the last segment of its
  /// stream, or if the stream is another machine's.
  mutating func importSegment(
    _ segment: Segment, _ envelope: Envelope, as blob: ObjectID?,
    examined: [Result<ExaminedRecord, FormatError>]? = nil
  ) throws {
    var head = try local.store.read { try $0.streamHead(of: segment.stream) }
    if let held = head, held.device != segment.device {
      try replaceStream(of: held.device, for: segment, examined)
      head = nil
    }
    guard segment.number == (head.map { $0.position.number + 1 } ?? 0),
      segment.previous == (head?.position.hash ?? Segment.beforeFirst)
    else {
      // Its records are signed themselves, so they do not wait for the segments before it.
      try importRecords(of: segment, examined: examined, isStored: false, intoOutbox: true) { _ in }
      throw UnsoundObject("it does not follow the segment before it")
    }
    try importRecords(of: segment, examined: examined, isStored: true) { writer in
      try writer.insertSegment(
        StoredSegment(
          position: segment.position, device: segment.device, envelope: envelope.bytes, published: blob?.bytes),
        isOwn: false)
    }
    // This machine does not import its own segments: a copy of it wrote this one, or an older backup was restored here.
    if segment.device == ownDevice(in: segment.vault) { report.isClonedDevice = true }
  }
}

/// The segment that is imported next. Its records are examined on other processors while the one before it is stored,
/// so that a long import takes the longer of both times, not their sum.
final class UpcomingSegment: Sendable {
  /// Its file at the remote.
  let blob: ObjectID
  let envelope: Envelope
  /// The segment. Its import verifies its place.
  let segment: Segment
  private let examined = Mutex<[Result<ExaminedRecord, FormatError>]?>(nil)
  private let examination = DispatchGroup()
  private static let queue = DispatchQueue.serial("examination")

  init(blob: ObjectID, envelope: Envelope, segment: Segment) {
    self.blob = blob
    self.envelope = envelope
    self.segment = segment
  }

  /// Begins to examine the records, unless they are so few that another thread would not help.
  func examineRecords(by membership: Membership) {
    guard segment.records.count >= Self.minimumRecordCount else { return }
    Self.queue.async(group: examination) { [self] in
      let records = ExaminedRecord.examine(segment.records, by: membership)
      examined.withLock { $0 = records }
    }
  }

  /// Waits until all records are examined. Returns nil if the examination was not begun.
  func examinedRecords() -> [Result<ExaminedRecord, FormatError>]? {
    examination.wait()
    return examined.withLock { $0 }
  }

  private static let minimumRecordCount = 16
  /// The size of a file up to which a segment is opened before it is imported: two of the largest ones would take much
  /// memory.
  static let maximumByteCount = 8 << 20
}
