internal import CofferFormat
internal import CofferVault

extension ItemAttributes {
  /// Throws `locked` if the item's value is protected by an application password (`kSecAttrAccessControl`): the stored
  /// bytes are not the value then, and a plain write would remove the protection.
  func checkNotPasswordProtected() throws(VaultError) {
    guard isPasswordProtected else { return }
    throw VaultError(
      .locked, "the value is protected by an application password",
      recoverySuggestion:
        "read and write it with Keychain's calls (import Security), which ask for it; for a new value without the password, "
        + "delete the item (coffer delete SERVICE ACCOUNT), and then set it")
  }
}
