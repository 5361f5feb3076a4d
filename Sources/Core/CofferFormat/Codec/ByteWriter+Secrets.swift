package import CofferCrypto

extension ByteWriter {
  /// Writes secret bytes of a fixed size. The caller wipes the written bytes.
  package mutating func secret(_ secret: SecretBytes) {
    unsafe secret.withBytes { bytes in
      for index in bytes.indices { u8(unsafe bytes[index]) }
    }
  }
}
