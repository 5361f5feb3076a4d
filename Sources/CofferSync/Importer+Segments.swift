internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Imports segments and their records.
extension Importer {
  /// Imports new segments, stream by stream.
  mutating func importSegments() throws {
    let own = try local.store.read { try $0.setting(.ownStream) }.flatMap { StreamID(stored: $0) }
    for stream in segments.keys.sorted() {
      try restoreSegments(of: stream)
      let numbers = segments[stream] ?? [:]
      for number in numbers.keys.sorted() {
        guard let blob = numbers[number] else { continue }
        let place = RemoteLayout.Place.segment(stream, number)
        let mine = try local.store.read { try $0.segment(stream, number) }
        do {
          let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
          if let mine, mine.envelope == bytes {
            try local.store.write { try $0.markSegmentPublished(stream, number, as: blob.bytes) }
            continue
          }
          let (envelope, segment) = try openSegment(bytes, stream: stream, number: number)
          if let mine {
            guard stream == own, !mine.isPublished else {
              throw UnsoundObject("it is not the one that this machine has seen")
            }
            // A copy of this machine was faster: its segments remain, and ours go into a new stream.
            try withdraw(stream)
            FaultPoint.reached(.segmentsWithdrawn)
          } else if stream == own {
            try local.store.write { try $0.setSetting(.ownStream, nil) }
          }
          try importSegment(segment, envelope, as: blob)
          FaultPoint.reached(.segmentImported)
        } catch is PendingOverflow {
          reportProblem(
            "has more than \(pendingByteLimit) bytes of changes that the membership log does not allow: segment \(number) of stream \(stream) waits"
          )
          unresolved.insert(place)
          break
        } catch {
          guard let fault = UnsoundObject(error) else { throw error }
          reportProblem("has a segment \(number) of stream \(stream) that is not valid: \(fault.reason)")
          if mine?.isPublished == true {
            lost.insert(place)
            continue
          }
          // Nobody else writes to this machine's own stream: ours replaces what cannot be read there.
          if mine != nil, error is GitError { continue }
          setAside(place, fault)
          if mine == nil { break }
        }
      }
    }
  }

  /// Stores segments again that the store has lost in the middle of a stream or at its end, beginning with the last one:
  /// each is named by the one after it, and the last one by the stream's head.
  private mutating func restoreSegments(of stream: StreamID) throws {
    guard let head = try local.store.read({ try $0.streamHeads() }).first(where: { $0.position.stream == stream })
    else { return }
    for (number, blob) in (segments[stream] ?? [:]).sorted(by: { $0.key > $1.key })
    where number <= head.position.number {
      guard try local.store.read({ try $0.segment(stream, number) }) == nil else { continue }
      do {
        let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
        let (envelope, segment) = try openSegment(bytes, stream: stream, number: number)
        guard try segment.position.hash == hash(ofSegment: number, before: head), segment.device == head.device else {
          throw UnsoundObject("it is not the one that this machine has seen")
        }
        try importRecords(of: segment) { writer in
          try writer.restoreSegment(
            StoredSegment(
              position: segment.position, device: segment.device, envelope: envelope.bytes, published: blob.bytes))
        }
        report.add("the store lacked segment \(number) of stream \(stream); it was restored from \(url)")
      } catch {
        guard let fault = UnsoundObject(error) else { throw error }
        reportProblem("has a segment \(number) of stream \(stream) that is not valid: \(fault.reason)")
        unresolved.insert(.segment(stream, number))
      }
      segments[stream]?[number] = nil
    }
  }

  /// Returns the hash of a lost segment by the segment after it, or nil if that one is lost too.
  private func hash(ofSegment number: UInt64, before head: StreamHead) throws -> SegmentHash? {
    if number == head.position.number { return head.position.hash }
    guard let next = try local.store.read({ try $0.segment(head.position.stream, number + 1) }) else { return nil }
    return try translatingErrors { try open(next.envelope)?.previous }
  }

  /// Withdraws this machine's unpublished segments of a stream that a copy of this machine has continued.
  private func withdraw(_ stream: StreamID) throws(VaultError) {
    try translatingErrors {
      try local.store.write { writer in
        for stored in try writer.unpublishedSegments() where stored.position.stream == stream {
          guard let segment = try open(stored.envelope) else { continue }
          try writer.addToOutbox(segment.records.map { try Record(bytes: $0).hash })
        }
        try writer.withdrawUnpublishedSegments(of: stream)
        try writer.setSetting(.ownStream, nil)
      }
    }
  }

  /// Opens a segment from the store. Returns nil if this machine lacks its transport key.
  private func open(_ envelope: [UInt8]) throws(FormatError) -> Segment? {
    let envelope = try Envelope(bytes: envelope)
    guard let key = device.transportKeys.first(where: { $0.generation == envelope.generation }) else { return nil }
    return try Segment(bytes: envelope.open(with: key.key))
  }

  private func openSegment(_ bytes: [UInt8], stream: StreamID, number: UInt64) throws -> (Envelope, Segment) {
    let envelope = try Envelope(bytes: bytes)
    guard envelope.content == .segment else { throw FormatError(.otherKind, object: "segment", field: "content") }
    guard let key = device.transportKeys.first(where: { $0.generation == envelope.generation }) else {
      throw UnsoundObject("it is sealed under an unknown transport key")
    }
    let segment = try Segment(bytes: envelope.open(with: key.key))
    let membership = try local.membership()
    guard segment.vault == membership.vault else { throw FormatError(.otherVault, object: "segment", field: "vault") }
    guard segment.stream == stream, segment.number == number else {
      throw UnsoundObject("it belongs to another place", isInvalid: true)
    }
    guard let author = membership.devices[segment.device] else {
      throw UnsoundObject("the machine that wrote it is not enrolled")
    }
    guard segment.isSigned(by: author.keys.verifying) else {
      throw FormatError(.badSignature, object: "segment", field: "signature")
    }
    return (envelope, segment)
  }

  /// The result of importing one segment.
  private struct Outcome {
    var recordCount = 0
    /// The reasons why records of the segment are not valid, or not yet.
    var refusals: [String] = []
    /// Segments that the writer has seen with other contents than this machine.
    var contradictions: [StreamPosition] = []
    /// The size of all pending records.
    var pendingByteCount: Int
  }

  private mutating func importSegment(_ segment: Segment, _ envelope: Envelope, as blob: ObjectID) throws {
    try importRecords(of: segment) { writer in
      let head = try writer.streamHeads().first { $0.position.stream == segment.stream }
      guard segment.number == (head.map { $0.position.number + 1 } ?? 0),
        segment.previous == (head?.position.hash ?? Segment.beforeFirst)
      else { throw UnsoundObject("it does not follow the segment before it") }
      guard head == nil || head?.device == segment.device else {
        throw UnsoundObject("its stream is another machine's")
      }
      try writer.insertSegment(
        StoredSegment(
          position: segment.position, device: segment.device, envelope: envelope.bytes, published: blob.bytes),
        isOwn: false)
    }
    // This machine does not import its own segments: a copy of it wrote this one, or an older backup was restored here.
    if segment.device == DeviceID(vault: segment.vault, keys: device.keys.publicKeys) {
      report.isClonedDevice = true
    }
  }

  /// Imports the records of a segment, and what its writer states of streams and of the log, in one transaction with
  /// `storing`, which verifies the segment's place and stores it.
  private mutating func importRecords(of segment: Segment, _ storing: (borrowing StoreWriter) throws -> Void) throws {
    let membership = try local.membership()
    let outcome = try local.store.write { writer in
      try storing(writer)
      var outcome = Outcome(pendingByteCount: try pendingByteCount ?? writer.pendingByteCount())
      for bytes in segment.records {
        do {
          let record = try Record(bytes: bytes)
          guard record.header.group == segment.group, !record.header.isDeviceLocal else {
            throw FormatError(.invalidValue, object: "record", field: "group")
          }
          let standing = membership.standing(of: record)
          switch standing {
          case .valid:
            if try writer.insert(record, standing: .valid, intoOutbox: false) { outcome.recordCount += 1 }
          case .unknownAuthor, .notEntitled:
            // A host can show a record before the log entry that allows it. The record is kept and becomes valid with
            // that entry.
            if try writer.insert(record, standing: .pending, intoOutbox: false) {
              outcome.pendingByteCount += bytes.count
              guard outcome.pendingByteCount <= pendingByteLimit else { throw PendingOverflow() }
              if case .unknownAuthor = standing { outcome.recordCount += 1 }
            }
            if case .notEntitled = standing { outcome.refusals.append("its author may not write the group") }
          case .refused(let reason): outcome.refusals.append(reason)
          }
        } catch let error as FormatError {
          outcome.refusals.append(error.description)
        }
      }
      // In the same transaction, because a segment is imported only once. Missing segments and entries are reported at
      // every later sync.
      outcome.contradictions = try recordSeenPositions(of: segment, writer)
      try recordLogClaim(of: segment, writer)
      return outcome
    }
    pendingByteCount = outcome.pendingByteCount
    report.recordsReceived += outcome.recordCount
    let machine = membership.name(of: segment.device)
    for reason in outcome.refusals { report.add("a record from \(machine) is refused: \(reason)") }
    for position in outcome.contradictions { reportContradiction(position, reader: segment.device, in: membership) }
  }
}

extension StreamID {
  /// Reads a stream identifier from a setting: 16 bytes.
  init?(stored bytes: [UInt8]) {
    guard let raw = Bytes16(bytes) else { return nil }
    self.init(raw)
  }
}
