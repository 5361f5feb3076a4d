internal import CofferCrypto

/// The key that recovers the whole vault: 136 random bits, shown once as eight groups of four characters.
///
/// The text is the prefix `COFFER1` followed by Crockford's base32 in capitals, without the letters I, L, O and U. The
/// last three bytes are a checksum, which distinguishes a typing error from a wrong key.
package struct VaultKey: Sendable {
  private let secret: SecretBytes

  private static let secretByteCount = 17
  private static let checkByteCount = 3
  private static let prefix = "COFFER1"
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The reason why a text is not a vault key. It never contains the text.
  package enum ParseError: Error, Hashable, Sendable {
    /// The number of characters is wrong, or a character does not occur in vault keys.
    case malformed
    /// The checksum does not match: a character was mistyped.
    case mistyped
  }

  /// Generates a random key.
  package static func random() -> VaultKey { VaultKey(secret: .random(count: secretByteCount)) }

  private init(secret: SecretBytes) { self.secret = secret }

  /// Reads a key as typed by a person. Case, spaces and hyphens are ignored; O is read as 0, I and L as 1. Letters
  /// outside ASCII are refused, also those whose capital is an ASCII letter, such as ſ.
  package init(parsing text: String) throws(ParseError) {
    var characters = Array(text.utf8).filter { !" -\t\r\n".utf8.contains($0) }.map(Self.folded)
    defer { characters.wipe() }
    let prefix = Self.prefix.utf8.map(Self.folded)
    guard characters.starts(with: prefix), characters.count == prefix.count + 32 else { throw .malformed }
    var bits: UInt64 = 0
    var bitCount = 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20)
    defer { bytes.wipe() }
    for character in characters[prefix.count...] {
      guard let digit = Self.alphabet.firstIndex(of: character) else { throw .malformed }
      bits = bits << 5 | UInt64(digit)
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(bitCount)))
      }
    }
    let secret = SecretBytes(copying: bytes[..<Self.secretByteCount])
    guard Self.check(of: secret) == Array(bytes[Self.secretByteCount...]) else { throw .mistyped }
    self.init(secret: secret)
  }

  /// Replaces a small letter with the capital, and a letter that looks like a digit with that digit, also in the prefix.
  private static func folded(_ character: UInt8) -> UInt8 {
    switch character {
    case UInt8(ascii: "O"), UInt8(ascii: "o"): UInt8(ascii: "0")
    case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "L"), UInt8(ascii: "l"): UInt8(ascii: "1")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - 0x20
    default: character
    }
  }

  /// The key as text, to be written down. Anybody who knows it controls the vault.
  package var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.secretByteCount + Self.checkByteCount)
    defer { bytes.wipe() }
    unsafe secret.withBytes { unsafe bytes.append(contentsOf: $0) }
    bytes += Self.check(of: secret)
    var bits: UInt64 = 0
    var bitCount = 0
    var groups = Self.prefix
    var written = 0
    for byte in bytes {
      bits = bits << 8 | UInt64(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        if written % 4 == 0 { groups += "-" }
        groups.unicodeScalars.append(UnicodeScalar(Self.alphabet[Int(bits >> UInt64(bitCount) & 31)]))
        written += 1
      }
    }
    return groups
  }

  /// The key that seals root. The vault key has full entropy, so one hash suffices.
  var sealing: SymmetricKey { Hash.key(from: secret, domain: .vaultKey) }

  private static func check(of secret: SecretBytes) -> [UInt8] {
    Array(Hash.commitment(to: secret, domain: .vaultKeyCheck).bytes.prefix(checkByteCount))
  }
}
