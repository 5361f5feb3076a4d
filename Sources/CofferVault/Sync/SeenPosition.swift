package import CofferFormat

/// How far another machine has read a stream at the remote.
package struct SeenPosition: Hashable {
  package let position: StreamPosition
  /// The machine that has seen it.
  package let reader: DeviceID

  package init(position: StreamPosition, reader: DeviceID) {
    self.position = position
    self.reader = reader
  }
}
