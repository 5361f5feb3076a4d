package import CofferCrypto

/// The identifier of an access group: a hash of the vault and the group's name.
package struct GroupID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  /// Sixteen zero bytes, which stand for no group.
  package static let none = GroupID(.zero)

  package init(vault: VaultID, name: String) {
    raw = Hash.identifier(vault.raw.bytes + Array(name.utf8), domain: .group)
  }
}
