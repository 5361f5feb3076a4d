package import CofferCrypto

/// The secret keys of an admin or a principal, sealed to the delivery key of the machine that is to have them.
package struct DeliveredKeys: Hashable, Sendable {
  /// A libsodium sealed box of 64 secret bytes, 112 bytes long.
  package let box: [UInt8]

  /// Seals keys for a machine, to its delivery key. Throws ``CryptoError/invalidPublicKey`` if that cannot be used.
  package init(sealing keys: PartyKeys, to recipient: BoxKey) throws(CryptoError) {
    box = try recipient.seal(keys.secret)
  }

  fileprivate init(box: [UInt8]) { self.box = box }

  /// Opens the keys with the machine's delivery key. Throws ``CryptoError/authenticationFailed`` if the box was sealed
  /// to another key, or contains other keys than `expected`, which the statement names.
  package func open(with key: AgreementKey, expecting expected: PartyPublicKeys) throws(CryptoError) -> PartyKeys {
    let keys = try PartyKeys(secret: key.open(box))
    guard keys.publicKeys == expected else { throw .authenticationFailed }
    return keys
  }
}

extension ByteReader {
  /// Reads a sealed box of 64 secret bytes.
  package mutating func deliveredKeys() throws(FormatError) -> DeliveredKeys {
    DeliveredKeys(box: try fixed(AddressedBox.boxByteCount, "sealed secret keys"))
  }
}
