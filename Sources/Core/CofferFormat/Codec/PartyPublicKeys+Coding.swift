package import CofferCrypto

extension ByteWriter {
  /// Writes the verifying key, then the box key.
  package mutating func publicKeys(_ keys: PartyPublicKeys) {
    fixed(keys.verifying.raw)
    fixed(keys.box.raw)
  }
}

extension ByteReader {
  /// Reads the verifying key, then the box key.
  package mutating func publicKeys(_ field: String) throws(FormatError) -> PartyPublicKeys {
    let verifying = VerifyingKey(try bytes32(field))
    return PartyPublicKeys(verifying: verifying, box: BoxKey(try bytes32(field)))
  }
}
