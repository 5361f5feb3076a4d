package import CofferFormat

package struct StoredSegment: Hashable, Sendable {
  package let position: StreamPosition
  /// The device that signed the segment.
  package let device: DeviceID
  /// The segment sealed for transport: the bytes of the file on the remote.
  package let envelope: [UInt8]
  /// The identifier of the file on the remote: nil if the remote does not have the segment, empty if it is unknown.
  package let published: [UInt8]?

  /// True if the remote has the segment.
  package var isPublished: Bool { published != nil }

  package init(position: StreamPosition, device: DeviceID, envelope: [UInt8], published: [UInt8]?) {
    self.position = position
    self.device = device
    self.envelope = envelope
    self.published = published
  }
}
