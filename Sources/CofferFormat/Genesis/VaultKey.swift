package import CofferCrypto

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
  package init(parsing text: SecretText) throws(ParseError) {
    let characters = SecretText(capacity: text.count) { characters in
      unsafe text.withBytes { text in
        for index in text.indices {
          let character = unsafe text[index]
          if !" -\t\r\n".utf8.contains(character) { characters.append(Self.folded(character)) }
        }
      }
    }
    let decoded = try unsafe characters.withBytes { (characters) throws(ParseError) in
      try unsafe Self.decoded(characters)
    }
    let secret = decoded.slice(0..<Self.secretByteCount)
    let isIntact = unsafe decoded.withBytes { bytes in
      unsafe bytes[Self.secretByteCount...].elementsEqual(Self.check(of: secret))
    }
    guard isIntact else { throw .mistyped }
    self.init(secret: secret)
  }

  /// Returns the secret and its checksum from characters without separators.
  private static func decoded(_ characters: UnsafeRawBufferPointer) throws(ParseError) -> SecretBytes {
    let prefix = Self.prefix.utf8.map(folded)
    guard unsafe characters.starts(with: prefix), characters.count == prefix.count + 32 else {
      throw .malformed
    }
    return try unsafe SecretBytes(count: secretByteCount + checkByteCount) { (bytes) throws(ParseError) in
      var bits: UInt64 = 0
      var bitCount = 0
      var place = 0
      for index in prefix.count..<characters.count {
        guard let digit = alphabet.firstIndex(of: unsafe characters[index]) else { throw .malformed }
        bits = bits << 5 | UInt64(digit)
        bitCount += 5
        if bitCount >= 8 {
          bitCount -= 8
          unsafe bytes[place] = UInt8(truncatingIfNeeded: bits >> UInt64(bitCount))
          place += 1
        }
      }
    }
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
  package var text: SecretText {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.secretByteCount + Self.checkByteCount)
    defer { bytes.wipe() }
    unsafe secret.withBytes { unsafe bytes.append(contentsOf: $0) }
    bytes += Self.check(of: secret)
    // The prefix, and eight groups of four characters with a hyphen before each.
    return SecretText(capacity: Self.prefix.utf8.count + 40) { text in
      for character in Self.prefix.utf8 { text.append(character) }
      var bits: UInt64 = 0
      var bitCount = 0
      var written = 0
      for byte in bytes {
        bits = bits << 8 | UInt64(byte)
        bitCount += 8
        while bitCount >= 5 {
          bitCount -= 5
          if written % 4 == 0 { text.append(UInt8(ascii: "-")) }
          text.append(Self.alphabet[Int(bits >> UInt64(bitCount) & 31)])
          written += 1
        }
      }
    }
  }

  /// The key that seals root. The vault key has full entropy, so one hash suffices.
  var sealing: SymmetricKey { Hash.key(from: secret, domain: .vaultKey) }

  private static func check(of secret: SecretBytes) -> [UInt8] {
    Array(Hash.commitment(to: secret, domain: .vaultKeyCheck).bytes.prefix(checkByteCount))
  }
}
