package import CofferVault

/// The items that one step of a search found.
package struct SearchPage: Sendable {
  package internal(set) var items: [FoundItem] = []
  package internal(set) var damaged: [VaultError] = []
}
