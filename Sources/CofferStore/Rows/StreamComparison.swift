/// The result of comparing a stream position with the store.
package enum StreamComparison: Hashable, Sendable {
  /// The store has this segment, or a later one after a checkpoint.
  case held
  /// The stream in the store ends before this position.
  case missing
  /// The store has another segment with this number.
  case different
}
