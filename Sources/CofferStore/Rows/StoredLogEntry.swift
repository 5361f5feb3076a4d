/// An entry of the membership log in the store.
package struct StoredLogEntry: Hashable, Sendable {
  /// The number of the entry, 1 for the first after the genesis.
  package let sequence: UInt64
  /// The bytes of the signed object.
  package let entry: [UInt8]
  /// The object sealed for transport: the bytes of the file on the remote.
  package let envelope: [UInt8]
  /// True if the remote has the entry.
  package let isPublished: Bool

  package init(sequence: UInt64, entry: [UInt8], envelope: [UInt8], isPublished: Bool) {
    self.sequence = sequence
    self.entry = entry
    self.envelope = envelope
    self.isPublished = isPublished
  }
}
