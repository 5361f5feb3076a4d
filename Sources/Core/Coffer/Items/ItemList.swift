public import CofferVault

/// The result of a list call.
public struct ItemList<Item: KeychainItem>: Sendable {
  /// The items that could be read.
  public let items: [StoredItem<Item>]
  /// One error for each damaged item. The other items are unharmed.
  public let damaged: [VaultError]
}
