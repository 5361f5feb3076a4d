/// A deletion that can be undone.
package struct ItemDeletion: Sendable, Hashable {
  /// The number of items that were deleted.
  package let count: Int
  /// The token for ``InspectedVault/undo(_:)``, good for ``InspectedVault/undoMinutes``.
  package let token: String
}
