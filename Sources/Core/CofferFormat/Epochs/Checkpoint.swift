package import CofferCrypto

/// The beginning of an epoch after the first: which segments of each stream the epoch's snapshot stands for, and the
/// chunks of that snapshot. Signed by the device of an admin.
package struct Checkpoint: Sendable {
  package let vault: VaultID
  /// The number of the epoch, from ``firstEpoch``.
  package let epoch: UInt32
  /// The hash of the checkpoint of the epoch before; ``CheckpointHash/beforeFirst`` for ``firstEpoch``.
  package let previous: CheckpointHash
  /// The last entry of the published log that the author has followed.
  package let log: LogPosition
  package let time: Timestamp
  /// The last segment of every stream that the snapshot covers, in ascending order of stream.
  package let streams: [CoveredStream]
  /// The hash of each chunk of the snapshot, in order, see ``SnapshotChunk/hash``.
  package let chunks: [Bytes32]
  /// The device that signed the checkpoint.
  package let device: DeviceID
  /// The object's bytes.
  package let bytes: [UInt8]
  /// The hash of the signed part.
  package let hash: CheckpointHash
  private let signature: Signature

  /// The first epoch that a checkpoint can begin.
  package static let firstEpoch: UInt32 = 2

  /// Creates and signs a checkpoint.
  package init(
    vault: VaultID, epoch: UInt32, after previous: CheckpointHash, log: LogPosition, time: Timestamp,
    streams: [CoveredStream], chunks: [Bytes32], device: DeviceID, key: SigningKey
  ) {
    self.vault = vault
    self.epoch = epoch
    self.previous = previous
    self.log = log
    self.time = time
    self.streams = streams.sorted { $0.position.stream < $1.position.stream }
    self.chunks = chunks
    self.device = device
    var writer = ByteWriter(reserving: 256 + streams.count * 72 + chunks.count * Bytes32.count)
    writer.begin(.checkpoint)
    writer.fixed(vault.raw)
    writer.u32(epoch)
    writer.fixed(previous.raw)
    log.write(to: &writer)
    writer.i64(time.microseconds)
    writer.list(self.streams)
    writer.list(chunks) { $0.fixed($1) }
    writer.fixed(device.raw)
    let digest = Hash.digest(writer.bytes, domain: .checkpoint)
    signature = key.sign(digest, domain: .checkpoint)
    writer.fixed(signature.bytes)
    bytes = writer.bytes
    hash = CheckpointHash(digest)
  }

  /// Reads a checkpoint. The caller must verify the signature with ``isSigned(by:)``.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.checkpoint.name)
    try reader.begin(.checkpoint)
    vault = VaultID(try reader.bytes16("vault"))
    epoch = try reader.u32("epoch")
    guard epoch >= Self.firstEpoch else { throw reader.failure(.invalidValue, "epoch") }
    previous = CheckpointHash(try reader.bytes32("previous"))
    guard (epoch == Self.firstEpoch) == (previous == .beforeFirst) else {
      throw reader.failure(.invalidValue, "previous")
    }
    log = try LogPosition(from: &reader)
    time = Timestamp(microseconds: try reader.i64("time"))
    streams = try reader.ascendingList("streams", cap: Limits.checkpointStreams, by: \.position.stream)
    chunks = try reader.list("chunks", cap: Limits.snapshotChunks) { (reader) throws(FormatError) in
      try reader.bytes32("chunk")
    }
    device = DeviceID(try reader.bytes16("device"))
    let digest = reader.digestOfConsumed(.checkpoint)
    signature = try reader.signature()
    try reader.finish()
    self.bytes = bytes
    hash = CheckpointHash(digest)
  }

  /// Returns true if the holder of `key` signed this checkpoint.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: hash.raw, domain: .checkpoint) }

  /// Returns the last segment of a stream that the snapshot covers; nil for a stream that it does not know.
  package func end(of stream: StreamID) -> CoveredStream? {
    index(of: stream, among: streams.count) { streams[$0].position.stream }.map { streams[$0] }
  }
}

/// The hash of a checkpoint's signed part.
package struct CheckpointHash: ObjectHash {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }

  /// What the checkpoint of the second epoch names as the one before it.
  package static let beforeFirst = CheckpointHash(.zero)
}

/// The last segment of a stream that a snapshot covers.
package struct CoveredStream: Hashable, Fielded {
  package let position: StreamPosition
  /// The device that writes the stream.
  package let device: DeviceID

  package init(position: StreamPosition, device: DeviceID) {
    self.position = position
    self.device = device
  }

  package init(_ known: CoveredStream?, _ coder: inout FieldCoder) throws(FormatError) {
    let stream = try coder.id(known?.position.stream, "stream")
    device = try coder.id(known?.device, "stream's device")
    let number = try coder.place(known?.position.number, "number")
    position = StreamPosition(stream: stream, number: number, hash: try coder.hash(known?.position.hash, "hash"))
  }
}
