internal import CofferVault

/// The items that one step of a search found.
struct SearchPage {
  var items: [FoundItem] = []
  /// One error for each item that is damaged.
  var damaged: [VaultError] = []
}
