/// The versions of an item that this machine still has.
public struct ItemHistory<Item: KeychainItem>: Sendable {
  /// Newest first, by their writers' clocks.
  public let versions: [ItemVersion<Item>]
  /// One error for each version that is damaged.
  public let damaged: [VaultError]
}
