/// A position in the membership log.
package struct LogPosition: Hashable, Sendable {
  /// The number of the entry: 0 for the genesis, 1 for the first entry.
  package let sequence: UInt64
  package let hash: EntryHash

  package init(sequence: UInt64, hash: EntryHash) {
    self.sequence = sequence
    self.hash = hash
  }
}
