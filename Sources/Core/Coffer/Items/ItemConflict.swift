/// An item that machines have changed at the same time. Other versions are kept until the conflict ends, and then for 30 days: reads return the version that was written
/// last, and ``Vault/restore(_:)`` or the next write of the item ends the conflict.
public struct ItemConflict<Item: KeychainItem>: Sendable {
  /// The concurrent versions, the current one first.
  public let versions: [ItemVersion<Item>]
}
