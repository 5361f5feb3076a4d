internal import CofferCrypto

/// The key that recovers everything: 136 random bits, shown once as eight groups of four characters.
///
/// The text is Crockford's base32 without the letters I, L, O and U, in capitals, after the prefix `COFFER1`; the last
/// three bytes check the others, so that a slip of the pen is told from a wrong key.
package struct VaultKey: Sendable {
  private let secret: SecretBytes

  private static let secretByteCount = 17
  private static let checkByteCount = 3
  private static let prefix = "COFFER1"
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Why a text is no vault key. It never repeats the text.
  package enum ParseError: Error, Hashable, Sendable {
    /// Another number of characters than a vault key has, or a character that none contains.
    case malformed
    /// The check at its end does not match: a character was mistyped.
    case mistyped
  }

  /// A fresh key.
  package static func random() -> VaultKey { VaultKey(secret: .random(count: secretByteCount)) }

  private init(secret: SecretBytes) { self.secret = secret }

  /// Reads a key as a person types it: case, spaces and hyphens do not matter; O counts as 0, I and L as 1.
  package init(parsing text: String) throws(ParseError) {
    var characters = Array(text.uppercased().utf8).filter { !" -\t\r\n".utf8.contains($0) }.map(Self.folded)
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

  /// What a character counts as, in the prefix too: the letters that look like digits are those digits.
  private static func folded(_ character: UInt8) -> UInt8 {
    switch character {
    case UInt8(ascii: "O"): UInt8(ascii: "0")
    case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
    default: character
    }
  }

  /// The key for a person to write down. Whoever reads it owns the vault.
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

  /// The key that seals root; the vault key has full entropy, so one hash suffices.
  var sealing: SymmetricKey { Hash.key(from: secret, domain: .vaultKey) }

  private static func check(of secret: SecretBytes) -> [UInt8] {
    Array(Hash.commitment(to: secret, domain: .vaultKeyCheck).bytes.prefix(checkByteCount))
  }
}
