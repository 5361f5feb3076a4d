package import CofferFormat

/// The last segment of a stream that is known to the store.
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
