package import CofferCrypto
internal import CofferFormat
internal import CofferTrust
internal import CofferVault

/// Checks the passphrase of this machine's owner, which takes the place of Keychain's device passcode.
package struct OwnerPassphrase: Sendable {
  private let check: @Sendable (SecretText) throws(VaultError) -> Bool

  init(_ check: @escaping @Sendable (SecretText) throws(VaultError) -> Bool) { self.check = check }

  /// Creates a check for a known passphrase. Only a hash under a random key is kept.
  init(is passphrase: SecretText) {
    let key = SymmetricKey.random()
    let hash = key.keyedHash32(passphrase, domain: .ownerPassphrase)
    self.init { (given) throws(VaultError) in key.keyedHash32(given, domain: .ownerPassphrase) == hash }
  }

  /// Returns whether a passphrase is the owner's. With a vault in a folder this takes about half a second and 256 MiB.
  package func accepts(_ passphrase: SecretText) throws(VaultError) -> Bool { try check(passphrase) }
}

extension Domain {
  fileprivate static let ownerPassphrase = Domain("coffer.ownerpw.1")
}
