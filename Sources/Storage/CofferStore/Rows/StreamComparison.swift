/// The result of comparing a position of a stream, or of the log, with the store.
package enum StreamComparison: Hashable, Sendable {
  /// The store has this segment or entry, or a later segment after a checkpoint.
  case held
  /// The stream or log in the store ends before this position.
  case missing
  /// The store has another segment or entry with this number.
  case different
}
