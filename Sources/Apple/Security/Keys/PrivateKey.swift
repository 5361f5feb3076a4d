internal import CofferCrypto
internal import CofferOpenSSL
internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A private key, implemented by swift-crypto, which wipes the memory of private keys.
enum PrivateKey: Sendable {
  case p256(P256.Signing.PrivateKey)
  case p384(P384.Signing.PrivateKey)
  case p521(P521.Signing.PrivateKey)
  case rsa(_RSA.Signing.PrivateKey)

  /// Generates a key: 256, 384 or 521 bits for elliptic curves; 1024 to 8192, a multiple of 256, for RSA. Throws
  /// `errSecParam` for other sizes.
  init(generating type: KeyType, sizeInBits: Int) throws(SecurityError) {
    switch (type, sizeInBits) {
    case (.ellipticCurve, 256): self = .p256(P256.Signing.PrivateKey())
    case (.ellipticCurve, 384): self = .p384(P384.Signing.PrivateKey())
    case (.ellipticCurve, 521): self = .p521(P521.Signing.PrivateKey())
    case (.rsa, RSALimits.bitCounts) where sizeInBits.isMultiple(of: 256):
      do {
        self = .rsa(try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: sizeInBits)))
      } catch {
        throw SecurityError(errSecInternalComponent, "the RSA key could not be generated")
      }
    default: throw SecurityError(errSecParam, "keys of this type with \(sizeInBits) bits are not supported")
    }
  }

  /// Decodes a key: the X9.63 point followed by the private scalar; for RSA, PKCS #1. Throws `errSecParam`.
  init(_ data: Data, type: KeyType) throws(SecurityError) {
    do {
      switch type {
      case .ellipticCurve: try self.init(pointAndScalar: data)
      case .rsa: try self.init(rsa: data)
      }
    } catch {
      throw SecurityError(errSecParam, "the data is not a private key of this type")
    }
  }

  /// Decodes a point and a scalar. Computes the point from the scalar and compares, to reject the point of another key.
  private init(pointAndScalar data: Data) throws {
    let scalar: Data
    switch data.count {
    case 97:
      scalar = Data(data.suffix(32))
      self = .p256(try P256.Signing.PrivateKey(rawRepresentation: scalar))
    case 145:
      scalar = Data(data.suffix(48))
      self = .p384(try P384.Signing.PrivateKey(rawRepresentation: scalar))
    case 199:
      scalar = Data(data.suffix(66))
      self = .p521(try P521.Signing.PrivateKey(rawRepresentation: scalar))
    default: throw SecurityError(errSecParam, "the length of the key does not match a supported curve")
    }
    guard publicKey.externalRepresentation == data.dropLast(scalar.count) else {
      throw SecurityError(errSecParam, "the point does not match the scalar")
    }
  }

  private init(rsa data: Data) throws {
    guard data.count <= RSALimits.maximumByteCount else { throw SecurityError(errSecParam, "the key is too long") }
    let key = try _RSA.Signing.PrivateKey(unsafeDERRepresentation: data)
    // The decoder accepts trailing bytes and PKCS #8, which Apple's format does not permit.
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

  /// Apple's external representation: the X9.63 point followed by the private scalar, or PKCS #1.
  var externalRepresentation: Data {
    switch self {
    case .p256(let key): key.x963Representation
    case .p384(let key): key.x963Representation
    case .p521(let key): key.x963Representation
    case .rsa(let key): key.derRepresentation
    }
  }

  /// Returns the signature of a digest: for ECDSA, DER or the concatenation of r and s; for RSA, as many bytes as the
  /// modulus. Throws `errSecParam` if the digest does not fit the key.
  func signature(of digest: any Digest, by scheme: SignatureScheme) throws(SecurityError) -> Data {
    if case .rsa(let key) = self, let padding = scheme.openSSLPadding {
      do throws(OpenSSLError) {
        return Data(try key.signature(of: Array(digest), padding))
      } catch {
        throw SecurityError(error, orParam: "the digest does not fit the key and the padding")
      }
    }
    let isConcatenated = scheme.padding == .ecdsaConcatenated
    do {
      switch self {
      case .p256(let key):
        let signature = try key.signature(for: digest)
        return isConcatenated ? signature.rawRepresentation : signature.derRepresentation
      case .p384(let key):
        let signature = try key.signature(for: digest)
        return isConcatenated ? signature.rawRepresentation : signature.derRepresentation
      case .p521(let key):
        let signature = try key.signature(for: digest)
        return isConcatenated ? signature.rawRepresentation : signature.derRepresentation
      case .rsa(let key):
        return try key.signature(for: digest, padding: scheme.padding == .pss ? .PSS : .insecurePKCS1v1_5)
          .rawRepresentation
      }
    } catch {
      throw SecurityError(errSecInternalComponent, "the key could not sign")
    }
  }
}

extension PrivateKey {
  /// Creates a key that was read from a PKCS #12 file; nil if its type or size is not supported.
  init?(_ material: PKCS12Contents.KeyMaterial) {
    do {
      switch material {
      case .p256(let scalar):
        self = .p256(try unsafe scalar.withBytes { unsafe try P256.Signing.PrivateKey(rawRepresentation: $0) })
      case .p384(let scalar):
        self = .p384(try unsafe scalar.withBytes { unsafe try P384.Signing.PrivateKey(rawRepresentation: $0) })
      case .p521(let scalar):
        self = .p521(try unsafe scalar.withBytes { unsafe try P521.Signing.PrivateKey(rawRepresentation: $0) })
      case .rsa(let der):
        guard der.count <= RSALimits.maximumByteCount else { return nil }
        let key = try unsafe der.withBytes { unsafe try _RSA.Signing.PrivateKey(unsafeDERRepresentation: $0) }
        try RSALimits.check(bitCount: key.keySizeInBits)
        self = .rsa(key)
      case .other: return nil
      }
    } catch {
      return nil
    }
  }
}
