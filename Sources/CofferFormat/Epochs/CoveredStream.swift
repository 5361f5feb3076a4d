/// The last segment of a stream that a snapshot covers.
package struct CoveredStream: Hashable, Sendable {
  package let position: StreamPosition
  /// The device that writes the stream.
  package let device: DeviceID

  package init(position: StreamPosition, device: DeviceID) {
    self.position = position
    self.device = device
  }
}

extension ByteWriter {
  /// Writes the stream, the device, the number and the hash.
  mutating func coveredStream(_ stream: CoveredStream) {
    fixed(stream.position.stream.raw)
    fixed(stream.device.raw)
    u64(stream.position.number)
    fixed(stream.position.hash.raw)
  }
}

extension ByteReader {
  /// Reads a stream, a device, a number and a hash.
  mutating func coveredStream() throws(FormatError) -> CoveredStream {
    let stream = StreamID(try bytes16("stream"))
    let device = DeviceID(try bytes16("stream's device"))
    let number = try place("number")
    let position = StreamPosition(stream: stream, number: number, hash: SegmentHash(try bytes32("hash")))
    return CoveredStream(position: position, device: device)
  }
}
