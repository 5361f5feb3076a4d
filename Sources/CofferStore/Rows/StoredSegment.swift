package import CofferFormat

/// A segment as the store holds it.
package struct StoredSegment: Hashable, Sendable {
  package let position: StreamPosition
  /// The device that signed it.
  package let device: DeviceID
  /// The segment sealed for transport: the remote's file, byte for byte.
  package let envelope: [UInt8]
  /// True once the remote holds it.
  package let isPublished: Bool

  package init(position: StreamPosition, device: DeviceID, envelope: [UInt8], isPublished: Bool) {
    self.position = position
    self.device = device
    self.envelope = envelope
    self.isPublished = isPublished
  }
}

/// How a position of a stream compares with what the store holds.
package enum StreamComparison: Hashable, Sendable {
  /// The same segment is held, or is covered by what is.
  case held
  /// The stream does not reach that far.
  case missing
  /// Another segment is held under that number.
  case different
}

/// The last segment of a stream that the store knows.
package struct StreamHead: Hashable, Sendable {
  package let position: StreamPosition
  /// The device that writes the stream.
  package let device: DeviceID
  /// True for a stream of this machine.
  package let isOwn: Bool

  package init(position: StreamPosition, device: DeviceID, isOwn: Bool) {
    self.position = position
    self.device = device
    self.isOwn = isOwn
  }
}
