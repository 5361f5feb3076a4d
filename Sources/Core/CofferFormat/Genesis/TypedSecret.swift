package import CofferCrypto

/// How a secret of full entropy is written for people: a prefix, and groups of four characters with hyphens between
/// them.
///
/// The characters are Crockford's base32 in capitals, without the letters I, L, O and U. The last bytes are a checksum,
/// which distinguishes a typing error from a wrong secret.
package struct TypedSecret: Sendable {
  private let prefix: String
  let secretByteCount: Int
  private let checkByteCount: Int
  private let checkDomain: Domain

  /// The number of characters in the groups. Five bytes are eight characters, which are two groups.
  private var characterCount: Int { (secretByteCount + checkByteCount) / 5 * 8 }

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The reason why a text is not such a secret. It never contains the text.
  package enum ParseError: Error, Hashable, Sendable {
    /// The prefix or the number of characters is wrong, or a character does not occur in such secrets.
    case malformed
    /// The checksum does not match: a character was mistyped.
    case mistyped
  }

  /// Takes the capitals and digits before the groups, which tell the kinds of secrets apart. The numbers of bytes of
  /// the secret and of the checksum add up to a multiple of 5.
  init(prefix: String, secretByteCount: Int, checkByteCount: Int, checkDomain: Domain) {
    precondition((secretByteCount + checkByteCount).isMultiple(of: 5), "two groups hold 5 bytes")
    self.prefix = prefix
    self.secretByteCount = secretByteCount
    self.checkByteCount = checkByteCount
    self.checkDomain = checkDomain
  }

  /// Reads a secret as typed by a person. Case, spaces and hyphens are ignored; O is read as 0, I and L as 1. Letters
  /// outside ASCII are refused, also those whose capital is an ASCII letter, such as ſ.
  func read(_ text: SecretText) throws(ParseError) -> SecretBytes {
    let characters = Self.characters(of: text)
    let decoded = try unsafe characters.withBytes { (characters) throws(ParseError) -> SecretBytes in
      try unsafe decode(characters)
    }
    let secret = decoded.slice(0..<secretByteCount)
    let expected = check(of: secret)
    let isIntact = unsafe decoded.withBytes { (bytes) -> Bool in
      unsafe bytes[secretByteCount...].elementsEqual(expected)
    }
    guard isIntact else { throw .mistyped }
    return secret
  }

  /// Whether a text begins as a secret of this form does.
  func isPrefix(of text: SecretText) -> Bool {
    let prefix = prefix.utf8.map(Self.folded)
    let characters = Self.characters(of: text)
    return unsafe characters.withBytes { (bytes) -> Bool in unsafe bytes.starts(with: prefix) }
  }

  /// Returns the characters of a text without separators, each in the form in which they are compared.
  private static func characters(of text: SecretText) -> SecretText {
    SecretText(capacity: text.count) { characters in
      unsafe text.withBytes { text in
        for index in text.indices {
          let character = unsafe text[index]
          if !" -\t\r\n".utf8.contains(character) { characters.append(folded(character)) }
        }
      }
    }
  }

  /// Returns the secret and its checksum from characters without separators.
  private func decode(_ characters: UnsafeRawBufferPointer) throws(ParseError) -> SecretBytes {
    let prefix = prefix.utf8.map(Self.folded)
    guard unsafe characters.starts(with: prefix), characters.count == prefix.count + characterCount else {
      throw .malformed
    }
    return try unsafe SecretBytes(count: secretByteCount + checkByteCount) { (bytes) throws(ParseError) in
      var bits: UInt64 = 0
      var bitCount = 0
      var place = 0
      for index in prefix.count..<characters.count {
        guard let digit = Self.alphabet.firstIndex(of: unsafe characters[index]) else { throw .malformed }
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

  /// Replaces a small letter with the capital, and a letter that looks like a digit with that digit, also in the
  /// prefix.
  private static func folded(_ character: UInt8) -> UInt8 {
    switch character {
    case UInt8(ascii: "O"), UInt8(ascii: "o"): UInt8(ascii: "0")
    case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "L"), UInt8(ascii: "l"): UInt8(ascii: "1")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - 0x20
    default: character
    }
  }

  func text(of secret: SecretBytes) -> SecretText {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(secretByteCount + checkByteCount)
    defer { bytes.wipe() }
    unsafe secret.withBytes { unsafe bytes.append(contentsOf: $0) }
    bytes += check(of: secret)
    // The prefix, and groups of four characters with a hyphen before each.
    return SecretText(capacity: prefix.utf8.count + characterCount * 5 / 4) { text in
      for character in prefix.utf8 { text.append(character) }
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

  private func check(of secret: SecretBytes) -> [UInt8] {
    Array(Hash.commitment(to: secret, domain: checkDomain).bytes.prefix(checkByteCount))
  }
}

/// The key that recovers the whole vault: 136 random bits, shown once as eight groups of four characters.
///
/// The text begins with `COFFER1`, see ``TypedSecret``.
package struct VaultKey: Sendable {
  /// The random bytes, without the checksum.
  package let secret: SecretBytes

  /// The number of the random bytes.
  package static let byteCount = 17

  private static let form = TypedSecret(
    prefix: "COFFER1", secretByteCount: byteCount, checkByteCount: 3, checkDomain: .vaultKeyCheck)

  /// The reason why a text is not a vault key.
  package typealias ParseError = TypedSecret.ParseError

  package static func random() -> VaultKey { VaultKey(secret: .random(count: form.secretByteCount)) }

  private init(secret: SecretBytes) { self.secret = secret }

  /// Creates a key from ``secret``; nil for another number of bytes.
  package init?(restoring secret: SecretBytes) {
    guard secret.count == Self.form.secretByteCount else { return nil }
    self.init(secret: secret)
  }

  /// Reads a key as typed by a person, see ``TypedSecret/read(_:)``.
  package init(parsing text: SecretText) throws(ParseError) { self.init(secret: try Self.form.read(text)) }

  /// The key as text, to be written down. Anybody who knows it controls the vault.
  package var text: SecretText { Self.form.text(of: secret) }

  /// The key that seals root. The vault key has full entropy, so one hash suffices.
  var sealing: SymmetricKey { Hash.key(from: secret, domain: .vaultKey) }
}

/// A secret key of a vendor: 256 random bits, with which the vendor signs.
///
/// The text begins with `COFFERTEAM1` or `COFFERSHOP1`, see ``TypedSecret``.
package struct VendorKey: Sendable {
  /// What a vendor signs with the key.
  package enum Purpose: Sendable {
    /// The plists of the vendor's apps.
    case team
    /// Receipts.
    case shop

    fileprivate var form: TypedSecret {
      let (prefix, domain): (String, Domain) =
        switch self {
        case .team: ("COFFERTEAM1", .teamKeyCheck)
        case .shop: ("COFFERSHOP1", .shopKeyCheck)
        }
      return TypedSecret(prefix: prefix, secretByteCount: 32, checkByteCount: 3, checkDomain: domain)
    }
  }

  private let purpose: Purpose
  private let seed: SecretBytes

  /// The reason why a text is not a key for this purpose.
  package typealias ParseError = TypedSecret.ParseError

  /// Generates a random key.
  package static func random(_ purpose: Purpose) -> VendorKey { VendorKey(purpose, seed: .random(count: 32)) }

  private init(_ purpose: Purpose, seed: SecretBytes) {
    self.purpose = purpose
    self.seed = seed
  }

  /// Reads a key as typed by a person, see ``TypedSecret/read(_:)``.
  package init(_ purpose: Purpose, parsing text: SecretText) throws(ParseError) {
    self.init(purpose, seed: try purpose.form.read(text))
  }

  /// The key as text.
  package var text: SecretText { purpose.form.text(of: seed) }

  /// The key that signs.
  package func signing() throws(CryptoError) -> SigningKey { try SigningKey(seed: seed) }
}
