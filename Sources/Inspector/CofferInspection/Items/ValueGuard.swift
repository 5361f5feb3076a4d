package import Coffer
package import CofferCrypto
internal import CofferFormat
internal import CofferVault

/// What is required before an item's value is shown, in addition to an unlocked vault.
package struct ValueGuard: Sendable, Hashable {
  /// Whether this machine's passphrase has to be given: the item was stored with an access control that requires the
  /// presence of the user.
  package let requiresPassphrase: Bool
  /// Whether an application password protects the value and has to be given.
  package let requiresApplicationPassword: Bool
  /// Whether the conditions cannot be read.
  package let isUnknown: Bool

  /// The bits of SecAccessControlCreateFlags that require the presence of the user: any of its kinds.
  private static let presence: UInt64 = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5

  package init(_ item: some KeychainItem) { self.init(item._fields.attributes) }

  init(_ attributes: ItemAttributes) {
    let stored = attributes[.accessControl]
    let control = stored.flatMap { try? AccessControl(bytes: $0.matchBytes) }
    self.init(control, isUnknown: stored != nil && control == nil)
  }

  /// Creates the conditions of an access control, nil for none. Unknown conditions require everything.
  init(_ control: AccessControl?, isUnknown: Bool = false) {
    requiresPassphrase = isUnknown || (control?.flags ?? 0) & Self.presence != 0
    requiresApplicationPassword = isUnknown || control?.requiresApplicationPassword ?? false
    self.isUnknown = isUnknown
  }

  /// Whether the value is shown without any further secret.
  package var isOpen: Bool { !requiresPassphrase && !requiresApplicationPassword && !isUnknown }

  /// Throws the error for an item that only its app changes, because each change requires the presence of the user.
  func checkChangeable() throws(VaultError) {
    guard requiresPassphrase || isUnknown else { return }
    throw VaultError(
      .locked, "the item requires the presence of the user for each change",
      recoverySuggestion: "change it in the app that stored it")
  }

  /// What is required, each in words.
  package var conditions: [String] {
    if isUnknown { return ["conditions that this program does not know"] }
    return (requiresPassphrase ? ["this machine's passphrase"] : [])
      + (requiresApplicationPassword ? ["its application password"] : [])
  }
}

/// The value of an item, in memory that is wiped when the last reference to it is released.
package struct ItemValue: Sendable {
  package let bytes: SecretText
  /// Whether the value is UTF-8 text without NUL.
  package let isText: Bool

  /// Takes over a value, and wipes it if it is the only owner of its storage.
  init(moving value: inout [UInt8]) {
    // Validated as bytes: a String would be a copy that is never wiped.
    isText = value.isValidText
    bytes = SecretText(moving: &value)
  }

  /// Takes over a password that was generated: text.
  package init(generated password: SecretText) {
    isText = true
    bytes = password
  }
}

extension [UInt8] {
  /// Whether the bytes are UTF-8 without NUL.
  var isValidText: Bool {
    var decoder = UTF8()
    var iterator = makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): if scalar == "\0" { return false }
      case .emptyInput: return true
      case .error: return false
      }
    }
  }
}

/// Values that are shown only after a further secret was given.
extension InspectedVault {
  /// Throws unless the passphrase was given that a version or the item as it is now requires: a version may be older
  /// than the item's protection, and have the same value.
  func checkPresence(
    for version: FoundItem, of revision: ItemRevision, _ passphrase: SecretText?, _ attempt: PassphraseAttempt
  ) throws(VaultError) {
    let conditions = [ValueGuard(version.attributes)] + (try currentGuards(at: revision.address))
    guard !conditions.contains(where: \.isUnknown) else {
      throw VaultError(
        .locked, "the conditions for showing the value cannot be read", recoverySuggestion: "upgrade Coffer")
    }
    if conditions.contains(where: \.requiresPassphrase) { try checkPresence(passphrase, attempt) }
  }

  /// What the current versions of an item require: several in a conflict.
  func currentGuards(at address: ItemAddress) throws(VaultError) -> [ValueGuard] {
    let versions = try vault.history(at: address)?.history.versions ?? []
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
