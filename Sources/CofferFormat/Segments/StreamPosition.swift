internal import CofferCrypto

/// The position in a stream up to which a device has read.
package struct StreamPosition: Hashable, Sendable {
  package let stream: StreamID
  /// The number of the segment, 0 for the first of a stream.
  package let number: UInt64
  package let hash: SegmentHash

  package init(stream: StreamID, number: UInt64, hash: SegmentHash) {
    self.stream = stream
    self.number = number
    self.hash = hash
  }
}

extension ByteWriter {
  /// Writes the stream, the number and the hash.
  package mutating func streamPosition(_ position: StreamPosition) {
    fixed(position.stream.raw)
    u64(position.number)
    fixed(position.hash.raw)
  }
}

extension ByteReader {
  /// Reads a stream, a number and a hash.
  package mutating func streamPosition() throws(FormatError) -> StreamPosition {
    let stream = StreamID(try bytes16("stream"))
    let number = try place("number")
    return StreamPosition(stream: stream, number: number, hash: SegmentHash(try bytes32("hash")))
  }
}
