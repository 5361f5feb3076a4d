/// An item that machines changed at the same time. Nothing is lost: look-ups give the version that was written last, and
/// ``Vault/restore(_:)`` or the next write of the item ends the conflict.
public struct ItemConflict<Item: KeychainItem>: Sendable {
  /// The versions that do not know of each other; the current one first.
  public let versions: [ItemVersion<Item>]
}
