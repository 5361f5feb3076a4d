/// How far a sync is: what `coffer-sync --progress` prints as lines of JSON, for programs that show it.
package struct SyncStep: Hashable, Sendable, Codable {
  /// What a sync does, in this order. It begins again if another machine has pushed in the meantime.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// It asks the remote what has changed.
    case connecting
    /// Objects arrive.
    case receiving
    /// Changes of other machines are verified and stored.
    case importing
    /// This machine's changes are sent.
    case sending
  }

  package let step: Kind
  /// How much of the step is done, and of how much; both are 0 if that is not known.
  package let done: Int
  package let total: Int
  /// The number of bytes that have arrived or were sent in this step.
  package let bytes: Int

  package init(_ step: Kind, done: Int = 0, total: Int = 0, bytes: Int = 0) {
    self.step = step
    self.done = done
    self.total = total
    self.bytes = bytes
  }
}
