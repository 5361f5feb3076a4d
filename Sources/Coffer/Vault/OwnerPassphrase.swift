internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust

/// Tells the passphrase of this machine's owner from others: what stands for Keychain's device passcode.
package struct OwnerPassphrase: Sendable {
  private let check: @Sendable ([UInt8]) throws(VaultError) -> Bool

  fileprivate init(_ check: @escaping @Sendable ([UInt8]) throws(VaultError) -> Bool) { self.check = check }

  /// A passphrase that is kept as a hash under a key of this process'.
  init(is passphrase: [UInt8]) {
    let key = SymmetricKey.random()
    let hash = key.keyedHash32(passphrase, domain: .ownerPassphrase)
    self.init { (given) throws(VaultError) in key.keyedHash32(given, domain: .ownerPassphrase) == hash }
  }

  /// True for the owner's. With a vault in a folder this takes about half a second and 256 MiB.
  ///
  /// - Throws: ``VaultError`` where what tells it cannot be read.
  package func accepts(_ passphrase: [UInt8]) throws(VaultError) -> Bool { try check(passphrase) }
}

extension Domain {
  fileprivate static let ownerPassphrase = Domain("coffer.ownerpw.1")
}
