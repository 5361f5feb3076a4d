/// One version of an item in a snapshot.
package enum SnapshotEntry: Hashable, Sendable {
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
}

extension ByteWriter {
  mutating func snapshotEntry(_ entry: SnapshotEntry) {
    switch entry {
    case .record(let bytes):
      u8(1)
      data(bytes)
    case .skeleton(let bytes):
      u8(2)
      data(bytes)
    case .pending(let bytes, let origin):
      u8(3)
      fixed(origin.device.raw)
      fixed(origin.stream.raw)
      u64(origin.number)
      u64(origin.log)
      data(bytes)
    }
  }
}

extension ByteReader {
  mutating func snapshotEntry() throws(FormatError) -> SnapshotEntry {
    switch try u8("entry") {
    case 1: return .record(try data("record", cap: Limits.recordByteCount))
    case 2: return .skeleton(try data("skeleton", cap: Limits.skeletonByteCount))
    case 3:
      let device = DeviceID(try bytes16("device"))
      let stream = StreamID(try bytes16("stream"))
      let number = try place("number")
      let origin = SnapshotEntry.Origin(device: device, stream: stream, number: number, log: try place("log position"))
      return .pending(try data("record", cap: Limits.recordByteCount), origin)
    default: throw failure(.invalidValue, "entry")
    }
  }
}
