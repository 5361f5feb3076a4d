internal import CofferFormat

/// How far another machine has read a stream at the remote.
struct SeenPosition: Hashable {
  let position: StreamPosition
  /// The machine that has seen it.
  let reader: DeviceID
}
