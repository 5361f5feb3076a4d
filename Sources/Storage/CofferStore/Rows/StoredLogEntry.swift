/// An entry of the membership log in the store.
package struct StoredLogEntry: Hashable, Sendable {
  /// The number of the entry, 1 for the first after the genesis.
  package let sequence: UInt64
  /// The bytes of the signed object.
  package let entry: [UInt8]
  /// The object sealed for transport: the bytes of the file on the remote.
  package let envelope: [UInt8]
  /// The identifier of the file on the remote: nil if the remote does not have the entry, empty if it is unknown.
  package let published: [UInt8]?

  /// True if the remote has the entry.
  package var isPublished: Bool { published != nil }

  package init(sequence: UInt64, entry: [UInt8], envelope: [UInt8], published: [UInt8]?) {
    self.sequence = sequence
    self.entry = entry
    self.envelope = envelope
    self.published = published
  }
}
