/// An item with what is known of its versions.
package struct FoundDetails: Sendable {
  package let item: FoundItem
  package let revision: ItemRevision
  /// The current version and all others that this machine keeps, newest first.
  package let history: FoundHistory
  /// Whether the caller may write the item's group.
  package let isWritable: Bool
}
