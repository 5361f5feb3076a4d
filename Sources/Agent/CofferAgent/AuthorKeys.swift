package import CofferCrypto
package import CofferFormat
package import CofferTrust
package import CofferVault

/// What an author's secret keys do when items are read and written, wherever they are: in this process, or in another one,
/// which does not give them away.
package protocol AuthorKeys: Sendable {
  /// Returns the key under which the author marks records of a group that it has verified; nil if the keys are elsewhere and
  /// cannot be reached. It opens and signs nothing.
  func verificationKey(of group: GroupID) -> SymmetricKey?

  /// Returns the secrets of the generations of a group's key that the author opens, by their numbers. The caller compares
  /// them with what the log commits to.
  func groupSecrets(of group: RegisteredGroup) throws(VaultError) -> [UInt32: SecretBytes]

  /// Signs a version of an item.
  func sign(_ record: UnsignedRecord) throws(VaultError) -> Signature

  /// Whether the keys are elsewhere, and the last call did not reach them.
  var areOutOfReach: Bool { get }
}

extension AuthorKeys {
  package var areOutOfReach: Bool { false }
}
