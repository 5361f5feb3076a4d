public import CofferVault

/// The versions of an item that this machine has.
public struct ItemHistory<Item: KeychainItem>: Sendable {
  /// The versions, newest first by the clocks of the machines that wrote them.
  public let versions: [ItemVersion<Item>]
  /// One error for each damaged version.
  public let damaged: [VaultError]
}
