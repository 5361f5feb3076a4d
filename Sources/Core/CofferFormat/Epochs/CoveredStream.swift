/// The last segment of a stream that a snapshot covers.
package struct CoveredStream: Hashable, Coded {
  package let position: StreamPosition
  /// The device that writes the stream.
  package let device: DeviceID

  package init(position: StreamPosition, device: DeviceID) {
    self.position = position
    self.device = device
  }

  package func write(to writer: inout ByteWriter) {
    writer.fixed(position.stream.raw)
    writer.fixed(device.raw)
    writer.u64(position.number)
    writer.fixed(position.hash.raw)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    let stream = StreamID(try reader.bytes16("stream"))
    device = DeviceID(try reader.bytes16("stream's device"))
    let number = try reader.place("number")
    position = StreamPosition(stream: stream, number: number, hash: SegmentHash(try reader.bytes32("hash")))
  }
}
