internal import CofferCrypto

/// The position in a stream up to which a device has read.
package struct StreamPosition: Hashable, Coded {
  package let stream: StreamID
  /// The number of the segment, 0 for the first of a stream.
  package let number: UInt64
  package let hash: SegmentHash

  package init(stream: StreamID, number: UInt64, hash: SegmentHash) {
    self.stream = stream
    self.number = number
    self.hash = hash
  }

  package func write(to writer: inout ByteWriter) {
    writer.fixed(stream.raw)
    writer.u64(number)
    writer.fixed(hash.raw)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    stream = StreamID(try reader.bytes16("stream"))
    number = try reader.place("number")
    hash = SegmentHash(try reader.bytes32("hash"))
  }
}
