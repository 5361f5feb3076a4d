package import CofferVault

/// The items that one step of a search found.
package struct SearchPage: Sendable {
  package internal(set) var items: [FoundItem] = []
  /// One error for each item that is damaged.
  package internal(set) var damaged: [VaultError] = []
}
