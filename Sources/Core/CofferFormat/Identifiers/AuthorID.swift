package import CofferCrypto

/// The identifier of an author of records, which is a principal (an app on a device) or a device's admin: a hash of its
/// public keys.
package struct AuthorID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  package init(vault: VaultID, keys: PartyPublicKeys) {
    raw = Hash.identifier(vault.raw.bytes + keys.verifying.raw.bytes + keys.box.raw.bytes, domain: .author)
  }

  /// The recipient of boxes that are addressed to root.
  package static let root = AuthorID(.zero)
}
