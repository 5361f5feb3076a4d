internal import CofferCrypto
internal import CofferOpenSSL
internal import CofferX509
internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A public key, implemented by swift-crypto.
enum PublicKey: Sendable {
  case p256(P256.Signing.PublicKey)
  case p384(P384.Signing.PublicKey)
  case p521(P521.Signing.PublicKey)
  case rsa(_RSA.Signing.PublicKey)

  /// Decodes a key: an uncompressed X9.63 point; for RSA, PKCS #1 or a SubjectPublicKeyInfo. Throws `errSecParam`.
  init(_ data: Data, type: KeyType) throws(SecurityError) {
    do {
      switch type {
      case .ellipticCurve: try self.init(point: data)
      case .rsa: try self.init(rsa: data)
      }
    } catch {
      throw SecurityError(errSecParam, "the data is not a public key of this type")
    }
  }

  private init(point: Data) throws {
    guard point.first == 4 else { throw SecurityError(errSecParam, "the point is not an uncompressed one") }
    switch point.count {
    case 65: self = .p256(try P256.Signing.PublicKey(x963Representation: point))
    case 97: self = .p384(try P384.Signing.PublicKey(x963Representation: point))
    case 133: self = .p521(try P521.Signing.PublicKey(x963Representation: point))
    default: throw SecurityError(errSecParam, "the length of the point does not match a supported curve")
    }
  }

  private init(rsa data: Data) throws {
    guard data.count <= RSALimits.maximumByteCount else { throw SecurityError(errSecParam, "the key is too long") }
    let key = try _RSA.Signing.PublicKey(unsafeDERRepresentation: data)
    // The decoder ignores trailing bytes. Accept the canonical encoding only.
    guard [key.pkcs1DERRepresentation, key.derRepresentation].contains(data) else {
      throw SecurityError(errSecParam, "the key's encoding is not DER")
    }
    try RSALimits.check(bitCount: key.keySizeInBits)
    self = .rsa(key)
  }

  var type: KeyType {
    switch self {
    case .p256, .p384, .p521: .ellipticCurve
    case .rsa: .rsa
    }
  }

  var sizeInBits: Int {
    switch self {
    case .p256: 256
    case .p384: 384
    case .p521: 521
    case .rsa(let key): key.keySizeInBits
    }
  }

  /// Apple's external representation: the uncompressed X9.63 point, or PKCS #1.
  var externalRepresentation: Data {
    switch self {
    case .p256(let key): key.x963Representation
    case .p384(let key): key.x963Representation
    case .p521(let key): key.x963Representation
    case .rsa(let key): key.pkcs1DERRepresentation
    }
  }

  /// Returns whether a signature of a digest is valid. A malformed signature is invalid.
  func verifies(
    _ signature: Data, of digest: any Digest, by scheme: SignatureScheme
  ) throws(SecurityError) -> Bool {
    let isConcatenated = scheme.padding == .ecdsaConcatenated
    switch self {
    case .p256(let key):
      let signature =
        try? isConcatenated
        ? P256.Signing.ECDSASignature(rawRepresentation: signature)
        : P256.Signing.ECDSASignature(derRepresentation: signature)
      return signature.map { key.isValidSignature($0, for: digest) } ?? false
    case .p384(let key):
      let signature =
        try? isConcatenated
        ? P384.Signing.ECDSASignature(rawRepresentation: signature)
        : P384.Signing.ECDSASignature(derRepresentation: signature)
      return signature.map { key.isValidSignature($0, for: digest) } ?? false
    case .p521(let key):
      let signature =
        try? isConcatenated
        ? P521.Signing.ECDSASignature(rawRepresentation: signature)
        : P521.Signing.ECDSASignature(derRepresentation: signature)
      return signature.map { key.isValidSignature($0, for: digest) } ?? false
    case .rsa(let key):
      guard let padding = scheme.openSSLPadding else {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return key.isValidSignature(
          signature, for: digest, padding: scheme.padding == .pss ? .PSS : .insecurePKCS1v1_5)
      }
      do throws(OpenSSLError) {
        return try key.verifies([UInt8](signature), of: Array(digest), padding)
      } catch {
        throw SecurityError(error, reading: "signature")
      }
    }
  }
}

/// The limits for RSA keys that are read or generated.
enum RSALimits {
  /// The maximum length of an encoded key, in bytes. A private key of 8192 bits has less than 5 KiB.
  static let maximumByteCount = 8192
  /// The sizes of the modulus, in bits.
  static let bitCounts = ExternalKey.rsaBitCounts

  /// Throws `errSecParam` unless the size is supported.
  static func check(bitCount: Int) throws(SecurityError) {
    guard bitCounts.contains(bitCount) else {
      throw SecurityError(errSecParam, "an RSA key must have 1024 to 8192 bits")
    }
  }
}

/// Operations that swift-crypto lacks.
extension _RSA.Signing.PrivateKey {
  /// Returns the signature of a digest. Throws `damaged` if the digest does not fit the key and the padding.
  func signature(of digest: [UInt8], _ padding: RSAOperation.Padding) throws(OpenSSLError) -> [UInt8] {
    // Without padding, the signature is the decrypted number.
    guard padding != .none else { return try decrypt(digest, padding) }
    var key = [UInt8](derRepresentation)
    defer { key.wipe() }
    return try RSAOperation(padding, blockByteCount: blockByteCount).signature(of: digest, by: key)
  }

  /// Decrypts a ciphertext. The caller wipes the plaintext, which without padding has as many bytes as the modulus.
  /// Throws `damaged` if it was not encrypted for the key with this padding.
  func decrypt(_ ciphertext: [UInt8], _ padding: RSAOperation.Padding) throws(OpenSSLError) -> [UInt8] {
    var key = [UInt8](derRepresentation)
    defer { key.wipe() }
    let input = padding == .none ? ciphertext.asNumber(byteCount: blockByteCount) : ciphertext
    return try RSAOperation(padding, blockByteCount: blockByteCount).decrypt(input, by: key)
  }

  private var blockByteCount: Int { (keySizeInBits + 7) / 8 }
}

extension _RSA.Signing.PublicKey {
  func verifies(
    _ signature: [UInt8], of digest: [UInt8], _ padding: RSAOperation.Padding
  ) throws(OpenSSLError) -> Bool {
    guard padding != .none else {
      // Apple's rule: without padding, zeros at the start are no part of what was signed.
      do throws(OpenSSLError) {
        return try encrypt(signature, padding).drop { $0 == 0 }.elementsEqual(digest)
      } catch {
        guard error == .damaged else { throw error }
        return false
      }
    }
    return try RSAOperation(padding, blockByteCount: blockByteCount)
      .verifies(signature, of: digest, by: [UInt8](derRepresentation))
  }

  /// Encrypts a plaintext. Throws `damaged` if it does not fit the key and the padding.
  func encrypt(_ plaintext: [UInt8], _ padding: RSAOperation.Padding) throws(OpenSSLError) -> [UInt8] {
    let input = padding == .none ? plaintext.asNumber(byteCount: blockByteCount) : plaintext
    return try RSAOperation(padding, blockByteCount: blockByteCount).encrypt(input, to: [UInt8](derRepresentation))
  }

  private var blockByteCount: Int { (keySizeInBits + 7) / 8 }
}

extension [UInt8] {
  /// Returns the number that the bytes are, with zeros in front if they are fewer.
  fileprivate func asNumber(byteCount: Int) -> [UInt8] {
    Array(repeating: 0, count: Swift.max(byteCount - count, 0)) + self
  }
}
