internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust

/// Segments and what they carry.
extension Intake {
  /// Takes in new segments, stream by stream. Returns those that the remote has in an altered form.
  mutating func takeSegments() throws -> Set<RemoteLayout.Place> {
    var altered: Set<RemoteLayout.Place> = []
    let own = try local.store.read { try $0.setting(.ownStream) }.flatMap { StreamID(stored: $0) }
    for stream in segments.keys.sorted() {
      let numbers = segments[stream] ?? [:]
      for number in numbers.keys.sorted() {
        guard let blob = numbers[number] else { continue }
        let place = RemoteLayout.Place.segment(stream, number)
        let mine = try local.store.read { try $0.segment(stream, number) }
        do {
          let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
          if let mine, mine.envelope == bytes {
            if !mine.isPublished { try local.store.write { try $0.markSegmentPublished(stream, through: number) } }
            continue
          }
          let (envelope, segment) = try openSegment(bytes, stream: stream, number: number)
          if let mine {
            guard stream == own, !mine.isPublished else {
              throw UnsoundObject("it is not the one that this machine has seen")
            }
            // A copy of this machine was faster: its segments stand, ours go into a stream of their own.
            try withdraw(stream)
          } else if stream == own {
            try local.store.write { try $0.setSetting(.ownStream, nil) }
          }
          try take(segment, envelope)
        } catch is PendingOverflow {
          problem(
            "more than \(pendingByteLimit) bytes of changes that the membership log does not allow: segment \(number) of stream \(stream) waits"
          )
          isComplete = false
          break
        } catch {
          guard let fault = UnsoundObject(error) else { throw error }
          problem("a segment \(number) of stream \(stream) that does not hold: \(fault.reason)")
          if mine != nil {
            altered.insert(place)
            continue
          }
          isComplete = false
          break
        }
      }
    }
    return altered
  }

  /// Takes back what this machine had sealed for a stream that a copy of it has continued.
  private func withdraw(_ stream: StreamID) throws(VaultError) {
    try translatingErrors {
      try local.store.write { writer in
        for stored in try writer.unpublishedSegments() where stored.position.stream == stream {
          let envelope = try Envelope(bytes: stored.envelope)
          guard let key = device.transportKeys.first(where: { $0.generation == envelope.generation }) else { continue }
          let segment = try Segment(bytes: envelope.open(with: key.key))
          try writer.addToOutbox(segment.records.map { try Record(bytes: $0).hash })
        }
        try writer.withdrawUnpublishedSegments(of: stream)
        try writer.setSetting(.ownStream, nil)
      }
    }
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
      throw UnsoundObject("it belongs to another place")
    }
    guard let author = membership.devices[segment.device] else {
      throw UnsoundObject("the machine that wrote it is not enrolled")
    }
    guard segment.isSigned(by: author.keys.verifying) else {
      throw FormatError(.badSignature, object: "segment", field: "signature")
    }
    return (envelope, segment)
  }

  /// What a segment brought.
  private struct Taken {
    var recordCount = 0
    /// Why records of it do not count, or not yet.
    var refusals: [String] = []
    /// Segments of which its writer has read other contents than this machine.
    var contradictions: [StreamPosition] = []
    /// Of all records that wait.
    var pendingByteCount: Int
  }

  private mutating func take(_ segment: Segment, _ envelope: Envelope) throws {
    let membership = try local.membership()
    let taken = try local.store.write { writer in
      let head = try writer.streamHeads().first { $0.position.stream == segment.stream }
      guard segment.number == (head.map { $0.position.number + 1 } ?? 0),
        segment.previous == (head?.position.hash ?? Segment.beforeFirst)
      else { throw UnsoundObject("it does not follow the segment before it") }
      guard head == nil || head?.device == segment.device else {
        throw UnsoundObject("its stream is another machine's")
      }
      var taken = Taken(pendingByteCount: try pendingByteCount ?? writer.pendingByteCount())
      for bytes in segment.records {
        do {
          let record = try Record(bytes: bytes)
          guard record.header.group == segment.group, !record.header.isDeviceLocal else {
            throw FormatError(.invalidValue, object: "record", field: "group")
          }
          let standing = membership.standing(of: record)
          switch standing {
          case .valid:
            if try writer.insert(record, standing: .valid, intoOutbox: false) { taken.recordCount += 1 }
          case .unknownAuthor, .notEntitled:
            // A host could show a record before the entry of the log that allows it. Kept, it counts once that is here.
            if try writer.insert(record, standing: .pending, intoOutbox: false) {
              taken.pendingByteCount += bytes.count
              guard taken.pendingByteCount <= pendingByteLimit else { throw PendingOverflow() }
              if case .unknownAuthor = standing { taken.recordCount += 1 }
            }
            if case .notEntitled = standing { taken.refusals.append("its author may not write the group") }
          case .refused(let reason): taken.refusals.append(reason)
          }
        } catch let error as FormatError {
          taken.refusals.append(error.description)
        }
      }
      try writer.insertSegment(
        StoredSegment(
          position: segment.position, device: segment.device, envelope: envelope.bytes, isPublished: true),
        isOwn: false)
      // With the segment, which is looked at once only: what is not here yet is asked for at every sync from now on.
      taken.contradictions = try noteClaims(of: segment, writer)
      return taken
    }
    pendingByteCount = taken.pendingByteCount
    report.recordsReceived += taken.recordCount
    // What this machine has not written, it has not: a copy of it did, or it did before an older backup was put back.
    if segment.device == DeviceID(vault: membership.vault, keys: device.keys.publicKeys) {
      report.isClonedDevice = true
    }
    let machine = membership.name(of: segment.device)
    for reason in taken.refusals { report.add("a record from \(machine) is refused: \(reason)") }
    for position in taken.contradictions { nameContradiction(position, reader: segment.device, in: membership) }
  }
}

extension StreamID {
  /// A stream as the settings keep it: its 16 bytes.
  init?(stored bytes: [UInt8]) {
    guard let raw = Bytes16(bytes) else { return nil }
    self.init(raw)
  }
}
