internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferVault

/// Values that are shown only after a further secret was given.
extension InspectedVault {
  /// Throws unless the passphrase was given that a version or the item as it is now requires: a version may be older than
  /// the item's protection, and have the same value.
  func checkPresence(
    for version: FoundItem, of revision: ItemRevision, _ passphrase: SecretText?, _ attempt: PassphraseAttempt
  ) throws(VaultError) {
    let conditions = [ValueGuard(version.attributes)] + (try currentGuards(of: revision))
    guard !conditions.contains(where: \.isUnknown) else {
      throw VaultError(
        .locked, "the conditions for showing the value cannot be read", recoverySuggestion: "upgrade Coffer")
    }
    if conditions.contains(where: \.requiresPassphrase) { try checkPresence(passphrase, attempt) }
  }

  /// What the current versions of an item require: several in a conflict.
  func currentGuards(of revision: ItemRevision) throws(VaultError) -> [ValueGuard] {
    let versions = try vault.history(at: revision.address)?.history.versions ?? []
    return versions.filter(\.isHead).compactMap(\.attributes).map { ValueGuard($0) }
  }

  func value(of stored: FoundItem, password: SecretText?) throws(VaultError) -> ItemValue {
    var bytes = stored.value ?? []
    defer { bytes.wipe() }
    let conditions = ValueGuard(stored.attributes)
    guard conditions.requiresApplicationPassword else { return ItemValue(moving: &bytes) }
    guard let password else {
      throw VaultError(
        .locked, "the value is protected by an application password", recoverySuggestion: "give that password")
    }
    var opened: [UInt8]
    do {
      let value = try ProtectedValue(bytes: bytes)
      let item = ProtectedItem(vault: vault.id, itemClass: stored.itemClass, attributes: stored.attributes)
      opened = try ValueProtection(of: value, in: item, password: password).open(value)
    } catch CryptoError.authenticationFailed, CryptoError.invalidSize {
      throw VaultError(
        .authenticationFailed, "the password of the item is wrong", recoverySuggestion: "try again")
    } catch {
      throw VaultError(
        .integrity, "the value under the application password is damaged",
        recoverySuggestion: "restore an earlier version of the item")
    }
    defer { opened.wipe() }
    return ItemValue(moving: &opened)
  }

  private func checkPresence(_ passphrase: SecretText?, _ attempt: PassphraseAttempt) throws(VaultError) {
    guard let owner = vault.ownerPassphrase else {
      throw VaultError(
        .locked, "the item requires this machine's passphrase, and the machine has none",
        recoverySuggestion: "set one with: coffer passphrase set")
    }
    guard let passphrase else {
      throw VaultError(
        .locked, "the item requires this machine's passphrase each time that its value is shown",
        recoverySuggestion: "give the passphrase")
    }
    try attempt { () throws(VaultError) in
      guard try owner.accepts(passphrase) else {
        throw VaultError(
          .authenticationFailed, "the passphrase is wrong", recoverySuggestion: "try again")
      }
    }
  }
}
