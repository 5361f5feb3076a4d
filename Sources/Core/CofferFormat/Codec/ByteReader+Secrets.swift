package import CofferCrypto

extension ByteReader {
  /// Reads `count` secret bytes into guarded memory. The caller wipes the bytes that are read from.
  package mutating func secret(_ count: Int, _ field: String) throws(FormatError) -> SecretBytes {
    var bytes = try fixed(count, field)
    return SecretBytes(moving: &bytes)
  }

  /// Reads a key of 32 secret bytes.
  package mutating func symmetricKey(_ field: String) throws(FormatError) -> SymmetricKey {
    let secret = try secret(32, field)
    do throws(CryptoError) {
      return try SymmetricKey(secret)
    } catch {
      throw failure(.invalidValue, field)
    }
  }

  /// Reads the 64 secret bytes of a party's two key pairs.
  package mutating func partyKeys(_ field: String) throws(FormatError) -> PartyKeys {
    let secret = try secret(64, field)
    do throws(CryptoError) {
      return try PartyKeys(secret: secret)
    } catch {
      throw failure(.invalidValue, field)
    }
  }
}
