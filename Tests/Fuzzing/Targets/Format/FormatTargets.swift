import CofferCrypto
import CofferFormatSamples
import CofferFuzzing
import CofferKeys

@testable import CofferFormat

/// The decoders of CofferFormat and CofferKeys.
enum FormatTargets {
  static let all: [FuzzTarget] =
    readings + [
      segmentContents, recordContents, recordHeader, statement, envelopeContents, accessControl, passphraseSlot,
      vaultKey, FoldTarget.fold,
    ]

  /// A target for each kind of object.
  private static let readings: [FuzzTarget] = [
    target("genesis", 300, .genesis), target("root-slot", 400, .rootSlot, .laterRootSlot, .completeRootSlot),
    target(
      "log-entry", 1024, .entry(0), .entry(5), .entry(6), .entry(7), .entry(9), .entry(10), .entry(12), .entry(13),
      .entry(14), .entry(15), .entry(16)),
    target("record-list", 256, .recordList), target("record", 1024, .record, .tombstone),
    target("segment", 1280, .segment), target("attributes", 512, .attributes), target("envelope", 2048, .envelope),
    target("credential", 512, .credential, .lockedCredential),
    target("device-file", 512, .deviceFile), target("admin-file", 300, .openAdminFile, .lockedAdminFile),
    target("delivery-file", 300, .openDeliveryFile, .lockedDeliveryFile),
    target("headless-credential", 512, .headlessCredential),
    target("protected-value", 512, .protectedValue),
    target("invitation-request", 512, .invitationRequest),
    target("invitation-answer", 300, .invitationAnswer, .invitationRefusal),
    target("invitations-file", 512, .invitationsFile), target("pending-enrolment", 1280, .pendingEnrolment),
    target("checkpoint", 1024, .checkpoint, .laterCheckpoint), target("snapshot-chunk", 2048, .snapshotChunk),
    target("closing", 300, .closing), target("backup-statement", 300, .backupStatement),
    target("backup-key", 300, .backupKey), target("receipt", 300, .receipt),
  ]

  /// A target that reads one kind of object. Every reading starts from a sample, and all have the same reader.
  private static func target(_ name: String, _ maximumByteCount: Int, _ readings: ObjectReading...) -> FuzzTarget {
    FuzzTarget(
      name, maximumByteCount: maximumByteCount,
      seeds: {
        let samples = try SampleObjects()
        return try readings.map { try $0.sample(samples) }
      },
      check: { bytes in
        guard let reading = readings.first else { return }
        try requireCanonical(bytes, reading.rewrite)
      })
  }

  /// Requires that bytes are refused with a ``FormatError``, or are what is written for the values that were read.
  private static func requireCanonical(_ bytes: [UInt8], _ rewrite: ([UInt8]) throws -> [UInt8]) throws {
    do {
      let rewritten = try rewrite(bytes)
      try require(rewritten == bytes, "a second encoding was read")
    } catch is FormatError {
      return
    }
  }

  // MARK: What a hash protects

  /// Segments whose payload hash is correct, which no mutation would find.
  private static let segmentContents = FuzzTarget(
    "segment-contents", maximumByteCount: 1280,
    seeds: {
      let samples = try SampleObjects()
      let two = [StreamID(.zero), samples.stream].map { stream in
        StreamPosition(stream: stream, number: 3, hash: SegmentHash(.zero))
      }
      let segment = Segment(
        vault: samples.vault, device: samples.deviceID, stream: samples.stream, after: nil,
        log: LogPosition(sequence: 0, hash: samples.genesis.hash), seen: two, group: samples.group,
        records: [[], [1], [1, 2]], key: samples.device.signing)
      return [try ObjectReading.segment.sample(samples), segment.bytes]
    },
    check: { try requireCanonical(withPayloadHash($0), ObjectReading.segment.rewrite) })

  /// Returns a segment with the hash of its payload.
  private static func withPayloadHash(_ segment: [UInt8]) -> [UInt8] {
    // kind 5, three identifiers, number 8, previous 32, position in the log 40, then the count of seen positions.
    let count = 5 + 48 + 8 + 32 + 40
    guard let seen = number(at: count, in: segment), seen <= 16 else { return segment }
    let hash = count + 4 + seen * 56 + 16
    let payload = hash + 32 + Signature.count + 4
    guard segment.count >= payload else { return segment }
    var segment = segment
    segment.replaceSubrange(hash..<hash + 32, with: Hash.digest(Array(segment[payload...]), domain: .payload).bytes)
    return segment
  }

  /// Records whose hashes of the sealed parts are correct.
  private static let recordContents = FuzzTarget(
    "record-contents", seeds: { [try ObjectReading.record.sample(SampleObjects())] },
    check: { try requireCanonical(withPartHashes($0), ObjectReading.record.rewrite) })

  /// Returns a record with the hashes of its sealed parts.
  private static func withPartHashes(_ record: [UInt8]) -> [UInt8] {
    var record = record
    var end = 0
    var parts: [Range<Int>] = []
    for _ in 0..<3 {
      guard let count = number(at: end, in: record), count <= record.count - end - 4 else { return record }
      parts.append(end + 4..<end + 4 + count)
      end += 4 + count
    }
    let hashes = parts[0].upperBound - Signature.count - 64
    guard hashes >= parts[0].lowerBound else { return record }
    let digests = parts.dropFirst().flatMap { Hash.digest(Array(record[$0]), domain: .sealedPart).bytes }
    record.replaceSubrange(hashes..<hashes + 64, with: digests)
    return record
  }

  private static func number(at position: Int, in bytes: [UInt8]) -> Int? {
    guard bytes.count >= position + 4 else { return nil }
    return bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private static let recordHeader = FuzzTarget(
    "record-header", maximumByteCount: 768,
    seeds: {
      let samples = try SampleObjects()
      return [samples.header(bases: [1, 2]), samples.header(content: .tombstone(successor: ItemID(.zero)))].map(bytes)
    },
    check: { input in
      try requireCanonical(input) { input in
        var reader = ByteReader(input, object: "header")
        let header = try RecordHeader(from: &reader)
        try reader.finish()
        return bytes(of: header)
      }
    })

  private static func bytes(of header: RecordHeader) -> [UInt8] {
    var writer = ByteWriter()
    header.write(to: &writer)
    return writer.bytes
  }

  /// The kind of a statement in one byte, then the body of a log entry.
  private static let statement = FuzzTarget(
    "statement",
    seeds: { try SampleObjects().statements().map { [UInt8(truncatingIfNeeded: $0.kind)] + $0.body } },
    check: { input in
      guard let kind = input.first else { return }
      let body = Array(input.dropFirst())
      var writer = ByteWriter()
      writer.begin(.logEntry)
      writer.fixed(Bytes16.zero)
      writer.u64(1)
      writer.fixed(Bytes32.zero)
      writer.i64(0)
      writer.u8(1)
      writer.fixed(Bytes16.zero)
      writer.u16(UInt16(kind))
      writer.bool(true)
      writer.data(body)
      writer.fixed([UInt8](repeating: 0, count: Signature.count))
      let entry = try LogEntry(bytes: writer.bytes)
      try requireCanonical(body) { _ in try Statement.parse(entry)?.body ?? body }
    })

  // MARK: What a key protects

  /// The padded plain text of an envelope.
  private static let envelopeContents = FuzzTarget(
    "envelope-contents", maximumByteCount: 512,
    seeds: { [[0, 0, 0, 3, 1, 2, 3], [0, 0, 0, 0]] },
    check: { input in
      let key = try Samples.shared.get().transport.key
      // kind 5, content 1, generation 4, count of boxes 4, length 4.
      let fixedByteCount = 18 + SymmetricKey.overheadByteCount
      let padded = Padding.paddedByteCount(fixedByteCount + input.count) - fixedByteCount
      let plain = input + [UInt8](repeating: 0, count: padded - input.count)
      var writer = ByteWriter()
      writer.begin(.envelope)
      writer.u8(Envelope.Content.segment.rawValue)
      writer.u32(1)
      writer.u32(0)
      writer.data(key.seal(plain, associated: writer.bytes))
      let envelope = try Envelope(bytes: writer.bytes)
      try requireCanonical(plain) { plain in
        var writer = ByteWriter()
        writer.data(try envelope.open(with: key))
        return writer.bytes + [UInt8](repeating: 0, count: plain.count - writer.bytes.count)
      }
    })

  // MARK: What is no object of its own

  private static let accessControl = FuzzTarget(
    "access-control", maximumByteCount: 64,
    seeds: { [AccessControl(protection: "ak", flags: 1 << 31).bytes] },
    check: { try requireCanonical($0) { try AccessControl(bytes: $0).bytes } })

  private static let passphraseSlot = FuzzTarget(
    "passphrase-slot", maximumByteCount: 256,
    seeds: {
      let slot = try PassphraseSlot(
        sealing: SampleObjects.secret(8, 64), passphrase: SecretText(copying: [1]), cost: .floor, context: [])
      var writer = ByteWriter()
      slot.write(to: &writer)
      return [writer.bytes]
    },
    check: { input in
      try requireCanonical(input) { input in
        var reader = ByteReader(input, object: "slot")
        let slot = try PassphraseSlot(from: &reader)
        try reader.finish()
        var writer = ByteWriter()
        slot.write(to: &writer)
        return writer.bytes
      }
    })

  private static let vaultKey = FuzzTarget(
    "vault-key", maximumByteCount: 96,
    seeds: { [SampleObjects.vaultKeyText, "coffer1 ooog"].map { Array($0.utf8) } },
    check: { input in
      do {
        let key = try VaultKey(parsing: SecretText(copying: input))
        // Everything that a reader ignores or replaces, in another way than the reader does it.
        let typed = input.filter { !" -\t\r\n".utf8.contains($0) }.map { byte in
          UInt8(ascii: "a") <= byte && byte <= UInt8(ascii: "z") ? byte - 0x20 : byte
        }
        let likeDigits: [UInt8: UInt8] = [0x4F: 0x30, 0x49: 0x31, 0x4C: 0x31]
        let written = Array(key.string.utf8).filter { $0 != UInt8(ascii: "-") }
        try require(
          typed.map { likeDigits[$0] ?? $0 } == written.map { likeDigits[$0] ?? $0 }, "another key was read")
        try require(try VaultKey(parsing: key.text).text == key.text, "the text is not read as the same key")
      } catch is VaultKey.ParseError {
        return
      }
    })

  private enum Samples {
    static let shared = Result { try SampleObjects() }
  }
}
