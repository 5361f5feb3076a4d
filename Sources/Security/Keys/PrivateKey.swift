internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A private key of any kind, over swift-crypto, which keeps it in memory that it wipes.
enum PrivateKey: Sendable {
  case p256(P256.Signing.PrivateKey)
  case p384(P384.Signing.PrivateKey)
  case p521(P521.Signing.PrivateKey)
  case rsa(_RSA.Signing.PrivateKey)

  /// Makes a new one: P-256, P-384 or P-521, or RSA with 1024 to 8192 bits, a multiple of 256.
  init(generating type: KeyType, sizeInBits: Int) throws(SecurityError) {
    switch (type, sizeInBits) {
    case (.ellipticCurve, 256): self = .p256(P256.Signing.PrivateKey())
    case (.ellipticCurve, 384): self = .p384(P384.Signing.PrivateKey())
    case (.ellipticCurve, 521): self = .p521(P521.Signing.PrivateKey())
    case (.rsa, RSALimits.bitCounts) where sizeInBits.isMultiple(of: 256):
      do {
        self = .rsa(try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: sizeInBits)))
      } catch {
        throw SecurityError(errSecInternalComponent, "the RSA key could not be made")
      }
    default: throw SecurityError(errSecParam, "there are no keys of this type with \(sizeInBits) bits")
    }
  }

  /// Reads a key from outside: the point of X9.63 with the private number behind it, or PKCS #1.
  init(_ data: Data, type: KeyType) throws(SecurityError) {
    do {
      switch type {
      case .ellipticCurve: try self.init(pointAndNumber: data)
      case .rsa: try self.init(rsa: data)
      }
    } catch {
      throw SecurityError(errSecParam, "the data is no private key of this type")
    }
  }

  /// The point is computed from the number and compared, so that the two cannot belong to different keys.
  private init(pointAndNumber data: Data) throws {
    let number: Data
    switch data.count {
    case 97:
      number = Data(data.suffix(32))
      self = .p256(try P256.Signing.PrivateKey(rawRepresentation: number))
    case 145:
      number = Data(data.suffix(48))
      self = .p384(try P384.Signing.PrivateKey(rawRepresentation: number))
    case 199:
      number = Data(data.suffix(66))
      self = .p521(try P521.Signing.PrivateKey(rawRepresentation: number))
    default: throw SecurityError(errSecParam, "no curve has private keys of this size")
    }
    guard publicKey.externalRepresentation == data.dropLast(number.count) else {
      throw SecurityError(errSecParam, "the point is not the number's")
    }
  }

  private init(rsa data: Data) throws {
    guard data.count <= RSALimits.maximumByteCount else { throw SecurityError(errSecParam, "the key is too long") }
    let key = try _RSA.Signing.PrivateKey(unsafeDERRepresentation: data)
    // Neither what follows a key nor PKCS #8 is Apple's format; the reader takes both.
    guard key.derRepresentation == data else {
      throw SecurityError(errSecParam, "the key's encoding is not PKCS #1 in DER")
    }
    try RSALimits.check(bitCount: key.keySizeInBits)
    self = .rsa(key)
  }

  var publicKey: PublicKey {
    switch self {
    case .p256(let key): .p256(key.publicKey)
    case .p384(let key): .p384(key.publicKey)
    case .p521(let key): .p521(key.publicKey)
    case .rsa(let key): .rsa(key.publicKey)
    }
  }

  /// Apple's external format: the point of X9.63 with the private number behind it, or PKCS #1.
  var externalRepresentation: Data {
    switch self {
    case .p256(let key): key.x963Representation
    case .p384(let key): key.x963Representation
    case .p521(let key): key.x963Representation
    case .rsa(let key): key.derRepresentation
    }
  }

  /// Signs a digest: in DER for ECDSA, as long as the modulus for RSA.
  func signature(of digest: any Digest, padding: SignatureScheme.Padding) throws(SecurityError) -> Data {
    do {
      return switch self {
      case .p256(let key): try key.signature(for: digest).derRepresentation
      case .p384(let key): try key.signature(for: digest).derRepresentation
      case .p521(let key): try key.signature(for: digest).derRepresentation
      case .rsa(let key):
        try key.signature(for: digest, padding: padding == .pss ? .PSS : .insecurePKCS1v1_5).rawRepresentation
      }
    } catch {
      throw SecurityError(errSecInternalComponent, "the key could not sign")
    }
  }
}
