package import Coffer
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
    guard let stored = attributes[.accessControl] else {
      self.init(nil)
      return
    }
    guard let control = try? AccessControl(bytes: stored.matchBytes) else {
      self.init(requiresPassphrase: true, requiresApplicationPassword: true, isUnknown: true)
      return
    }
    self.init(control)
  }

  init(_ control: AccessControl?) {
    self.init(
      requiresPassphrase: (control?.flags ?? 0) & Self.presence != 0,
      requiresApplicationPassword: control?.requiresApplicationPassword ?? false, isUnknown: false)
  }

  private init(requiresPassphrase: Bool, requiresApplicationPassword: Bool, isUnknown: Bool) {
    self.requiresPassphrase = requiresPassphrase
    self.requiresApplicationPassword = requiresApplicationPassword
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
