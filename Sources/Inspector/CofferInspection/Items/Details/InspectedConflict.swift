package import Coffer

/// An item that machines have changed at the same time, with its concurrent versions side by side.
package struct InspectedConflict: Sendable {
  package let kind: ItemKind
  /// The item's persistent reference; nil if the current version deleted it.
  package let reference: ItemReference?
  package let group: String
  /// The names of the item, from the first version that has any.
  package let title: String
  package let subtitle: String
  /// The versions, the current one first.
  package let versions: [ItemVersionRow]
  /// What the choice of a version must name.
  package let revision: ItemRevision
}
