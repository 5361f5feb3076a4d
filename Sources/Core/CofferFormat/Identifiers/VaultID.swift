package import CofferCrypto

/// The identifier of a vault: 16 random bytes in its genesis.
package struct VaultID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  /// Generates a random identifier.
  package static func random() -> VaultID { VaultID(Bytes16(Random.bytes(count: 16)) ?? .zero) }
}
