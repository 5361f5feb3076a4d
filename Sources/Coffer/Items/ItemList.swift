/// What a list found.
public struct ItemList<Item: KeychainItem>: Sendable {
  /// The items that could be read.
  public let items: [StoredItem<Item>]
  /// One error for each item that is damaged; the others are unharmed.
  public let damaged: [VaultError]
}
