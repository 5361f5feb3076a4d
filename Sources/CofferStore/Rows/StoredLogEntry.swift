/// An entry of the membership log as the store holds it.
package struct StoredLogEntry: Hashable, Sendable {
  /// 1 for the first entry after the genesis.
  package let sequence: UInt64
  /// The signed object.
  package let entry: [UInt8]
  /// The object sealed for transport: the remote's file, byte for byte.
  package let envelope: [UInt8]
  /// True once the remote holds it.
  package let isPublished: Bool

  package init(sequence: UInt64, entry: [UInt8], envelope: [UInt8], isPublished: Bool) {
    self.sequence = sequence
    self.entry = entry
    self.envelope = envelope
    self.isPublished = isPublished
  }
}
