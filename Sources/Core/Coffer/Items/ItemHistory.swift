public import CofferVault

/// The versions of an item that this machine has.
public struct ItemHistory<Item: KeychainItem>: Sendable {
  /// The versions, newest first by the clocks of the machines that wrote them.
  public let versions: [ItemVersion<Item>]
  /// One error for each damaged version.
  public let damaged: [VaultError]

  init(versions: [ItemVersion<Item>], damaged: [VaultError]) {
    self.versions = versions
    self.damaged = damaged
  }

  init(_ history: FoundHistory) {
    self.init(versions: history.versions.map { ItemVersion($0) }, damaged: history.damaged)
  }
}
