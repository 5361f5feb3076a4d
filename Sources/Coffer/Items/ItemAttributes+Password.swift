internal import CofferFormat

extension ItemAttributes {
  /// Throws where the item's value is under a password of its app's (`kSecAttrAccessControl`): what is stored is not the value then, and
  /// a value written past the password would take it away.
  func checkValueIsFree() throws(VaultError) {
    guard areUnderPassword else { return }
    throw VaultError(
      .locked, "the value is under a password of its app's",
      mend: "read and write it with Keychain's calls (import Security), which ask for it")
  }
}
