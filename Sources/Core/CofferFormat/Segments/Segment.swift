package import CofferCrypto

/// The new records of one group on one device, in the form used for sync: immutable, chained, signed by the device.
package struct Segment: Sendable {
  package let vault: VaultID
  package let device: DeviceID
  package let stream: StreamID
  /// The number of the segment, 0 for the first of a stream.
  package let number: UInt64
  /// The hash of the previous segment of the stream; zero for the first.
  package let previous: SegmentHash
  /// The last entry of the membership log that the writer had read.
  package let log: LogPosition
  /// The positions in other streams that the writer has read since its last segment, in ascending order of stream.
  package let seen: [StreamPosition]
  package let group: GroupID
  /// The bytes of the records, in the order in which they were written.
  package let records: [[UInt8]]
  /// The object's bytes.
  package let bytes: [UInt8]
  /// The hash of the signed part.
  package let hash: SegmentHash
  private let signature: Signature

  /// The value of ``previous`` in the first segment of a stream.
  package static let beforeFirst = SegmentHash(.zero)

  package var position: StreamPosition { StreamPosition(stream: stream, number: number, hash: hash) }

  /// Creates and signs the segment that follows `previous` in `stream`.
  package init(
    vault: VaultID, device: DeviceID, stream: StreamID, after previous: StreamPosition?, log: LogPosition,
    seen: [StreamPosition], group: GroupID, records: [[UInt8]], key: SigningKey
  ) {
    self.vault = vault
    self.device = device
    self.stream = stream
    number = previous.map { $0.number + 1 } ?? 0
    self.previous = previous?.hash ?? Self.beforeFirst
    self.log = log
    self.seen = seen.sorted { $0.stream < $1.stream }
    self.group = group
    self.records = records
    var payload = ByteWriter(reserving: records.reduce(8) { $0 + $1.count + 4 })
    payload.list(records) { $0.data($1) }
    var writer = ByteWriter(reserving: payload.bytes.count + 512)
    writer.begin(.segment)
    writer.fixed(vault.raw)
    writer.fixed(device.raw)
    writer.fixed(stream.raw)
    writer.u64(number)
    writer.fixed(self.previous.raw)
    log.write(to: &writer)
    writer.list(self.seen)
    writer.fixed(group.raw)
    writer.fixed(Hash.digest(payload.bytes, domain: .payload))
    let digest = Hash.digest(writer.bytes, domain: .segment)
    signature = key.sign(digest, domain: .segment)
    writer.fixed(signature.bytes)
    writer.data(payload.bytes)
    bytes = writer.bytes
    hash = SegmentHash(digest)
  }

  /// Reads a segment. The caller must verify the signature with ``isSigned(by:)``.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.segment.name)
    try reader.begin(.segment)
    vault = VaultID(try reader.bytes16("vault"))
    device = DeviceID(try reader.bytes16("device"))
    stream = StreamID(try reader.bytes16("stream"))
    number = try reader.place("number")
    previous = SegmentHash(try reader.bytes32("previous"))
    guard (number == 0) == (previous == Self.beforeFirst) else { throw reader.failure(.invalidValue, "previous") }
    log = try LogPosition(from: &reader)
    seen = try reader.ascendingList("seen", cap: Limits.seenStreams, by: \.stream)
    group = GroupID(try reader.bytes16("group"))
    let payloadHash = try reader.bytes32("payload hash")
    let digest = reader.digestOfConsumed(.segment)
    signature = try reader.signature()
    let payload = try reader.data("payload", cap: Limits.objectByteCount)
    try reader.finish()
    guard Hash.digest(payload, domain: .payload) == payloadHash else {
      throw reader.failure(.invalidValue, "payload")
    }
    var payloadReader = ByteReader(payload, object: ObjectKind.segment.name)
    records = try payloadReader.list("records", cap: Limits.recordsPerSegment) { (reader) throws(FormatError) in
      try reader.data("record", cap: Limits.recordByteCount)
    }
    try payloadReader.finish()
    self.bytes = bytes
    hash = SegmentHash(digest)
  }

  /// Returns true if the holder of `key` signed this segment.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: hash.raw, domain: .segment) }
}

/// The names of streams. Each commits to the machine whose stream it is, so that no other machine can begin or continue
/// it.
///
/// A name is a few random bytes, and a hash of these and of the machine under a transport key: without such a key, it
/// tells nothing about the machine, and nothing about the other streams of the machine. Streams that Coffer 0.2.0 has
/// begun have random names, which commit to nobody.
package struct StreamNaming {
  private static let randomByteCount = 4
  private let vault: VaultID
  /// The newest one first.
  private let keys: [SymmetricKey]

  /// Creates the naming by some transport keys, in ascending order of generation.
  package init(_ transportKeys: some BidirectionalCollection<TransportKey>, in vault: VaultID) {
    self.vault = vault
    keys = transportKeys.reversed().map { $0.key.derived(context: "CfStream") }
  }

  /// Generates a name for a stream of a machine, under one transport key.
  package static func random(of device: DeviceID, in vault: VaultID, under key: TransportKey) -> StreamID {
    name(Random.bytes(count: randomByteCount), device, vault, key.key.derived(context: "CfStream"))
  }

  private static func name(
    _ random: [UInt8], _ device: DeviceID, _ vault: VaultID, _ key: SymmetricKey
  ) -> StreamID {
    let hash = key.keyedHash16(vault.raw.bytes + device.raw.bytes + random, domain: .stream)
    return StreamID(Bytes16(random + hash.bytes.prefix(Bytes16.count - randomByteCount)) ?? .zero)
  }

  /// Whether the name of a stream commits to a machine.
  package func commits(_ stream: StreamID, to device: DeviceID) -> Bool {
    let random = Array(stream.raw.bytes.prefix(Self.randomByteCount))
    return keys.contains { Self.name(random, device, vault, $0) == stream }
  }
}
