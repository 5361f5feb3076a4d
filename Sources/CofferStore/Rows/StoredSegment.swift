package import CofferFormat

/// A segment in the store.
package struct StoredSegment: Hashable, Sendable {
  package let position: StreamPosition
  /// The device that signed the segment.
  package let device: DeviceID
  /// The segment sealed for transport: the bytes of the file on the remote.
  package let envelope: [UInt8]
  /// True if the remote has the segment.
  package let isPublished: Bool

  package init(position: StreamPosition, device: DeviceID, envelope: [UInt8], isPublished: Bool) {
    self.position = position
    self.device = device
    self.envelope = envelope
    self.isPublished = isPublished
  }
}
