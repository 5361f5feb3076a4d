package import CofferCrypto

/// The identifier of an enrolled machine: a hash of its public keys.
package struct DeviceID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  package init(vault: VaultID, keys: PartyPublicKeys) {
    raw = Hash.identifier(vault.raw.bytes + keys.verifying.raw.bytes + keys.box.raw.bytes, domain: .device)
  }
}
