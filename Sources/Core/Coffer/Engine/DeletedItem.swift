package import CofferFormat

/// An item that was deleted, for the undo of the deletion.
package struct DeletedItem: Sendable {
  /// The state after the deletion: its only head is the tombstone.
  let revision: ItemRevision
  /// The version that reads returned before.
  let version: RecordHash

  package var address: ItemAddress { revision.address }
}
