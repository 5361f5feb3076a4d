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
