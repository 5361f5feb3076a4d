package import CofferCrypto

/// A part of the snapshot with which an epoch begins. It is not signed: the checkpoint names it by its hash, and every
/// record in it is signed itself.
package struct SnapshotChunk: Sendable {
  package let vault: VaultID
  /// The epoch that begins with the snapshot.
  package let epoch: UInt32
  /// The place of the chunk in the snapshot, 0 for the first.
  package let number: UInt32
  /// The versions of items, in the order in which the author's machine received them. Not empty.
  package let entries: [SnapshotEntry]
  /// The object's bytes.
  package let bytes: [UInt8]
  /// The hash of the object's bytes.
  package let hash: Bytes32

  package init(vault: VaultID, epoch: UInt32, number: UInt32, entries: [SnapshotEntry]) {
    self.vault = vault
    self.epoch = epoch
    self.number = number
    self.entries = entries
    var writer = ByteWriter(reserving: entries.reduce(64) { $0 + $1.byteCount })
    writer.begin(.snapshotChunk)
    writer.fixed(vault.raw)
    writer.u32(epoch)
    writer.u32(number)
    writer.list(entries)
    bytes = writer.bytes
    hash = Hash.digest(writer.bytes, domain: .snapshotChunk)
  }

  /// Reads a chunk. The caller must compare ``hash`` with the checkpoint's.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.snapshotChunk.name)
    try reader.begin(.snapshotChunk)
    vault = VaultID(try reader.bytes16("vault"))
    epoch = try reader.u32("epoch")
    guard epoch >= Checkpoint.firstEpoch else { throw reader.failure(.invalidValue, "epoch") }
    number = try reader.u32("number")
    guard number < Limits.snapshotChunks else { throw reader.failure(.invalidValue, "number") }
    entries = try reader.list("entries", cap: Limits.recordsPerSegment)
    guard !entries.isEmpty else { throw reader.failure(.invalidValue, "entries") }
    try reader.finish()
    self.bytes = bytes
    hash = Hash.digest(bytes, domain: .snapshotChunk)
  }
}

/// One version of an item in a snapshot.
package enum SnapshotEntry: Hashable, Coded {
  /// A record that counts, as in a segment.
  case record([UInt8])
  /// The signed part and the signature of a superseded record: enough to verify it and what it supersedes.
  case skeleton([UInt8])
  /// A record that the log does not permit yet, as in a segment, and where it was.
  case pending([UInt8], Origin)

  /// The segment in which a pending record was.
  package struct Origin: Hashable, Sendable {
    /// The device that signed the segment.
    package let device: DeviceID
    package let stream: StreamID
    package let number: UInt64
    /// The number of the last entry of the log that the segment names.
    package let log: UInt64

    package init(device: DeviceID, stream: StreamID, number: UInt64, log: UInt64) {
      self.device = device
      self.stream = stream
      self.number = number
      self.log = log
    }
  }

  /// The size of the bytes in a chunk.
  package var byteCount: Int {
    switch self {
    case .record(let bytes), .skeleton(let bytes): 1 + 4 + bytes.count
    case .pending(let bytes, _): 1 + 16 + 16 + 8 + 8 + 4 + bytes.count
    }
  }

  package func write(to writer: inout ByteWriter) {
    switch self {
    case .record(let bytes):
      writer.u8(1)
      writer.data(bytes)
    case .skeleton(let bytes):
      writer.u8(2)
      writer.data(bytes)
    case .pending(let bytes, let origin):
      writer.u8(3)
      writer.fixed(origin.device.raw)
      writer.fixed(origin.stream.raw)
      writer.u64(origin.number)
      writer.u64(origin.log)
      writer.data(bytes)
    }
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    switch try reader.u8("entry") {
    case 1: self = .record(try reader.data("record", cap: Limits.recordByteCount))
    case 2: self = .skeleton(try reader.data("skeleton", cap: Limits.skeletonByteCount))
    case 3:
      let device = DeviceID(try reader.bytes16("device"))
      let stream = StreamID(try reader.bytes16("stream"))
      let number = try reader.place("number")
      let origin = Origin(device: device, stream: stream, number: number, log: try reader.place("log position"))
      self = .pending(try reader.data("record", cap: Limits.recordByteCount), origin)
    default: throw reader.failure(.invalidValue, "entry")
    }
  }
}
