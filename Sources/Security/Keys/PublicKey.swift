internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A public key, implemented by swift-crypto.
enum PublicKey: Sendable {
  case p256(P256.Signing.PublicKey)
  case p384(P384.Signing.PublicKey)
  case p521(P521.Signing.PublicKey)
  case rsa(_RSA.Signing.PublicKey)

  /// Decodes a key: an uncompressed X9.63 point; for RSA, PKCS #1 or a SubjectPublicKeyInfo.
  ///
  /// - Throws: `errSecParam`.
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
  func verifies(_ signature: Data, of digest: any Digest, padding: SignatureScheme.Padding) -> Bool {
    switch self {
    case .p256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: digest)
    case .p384(let key):
      guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: digest)
    case .p521(let key):
      guard let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: digest)
    case .rsa(let key):
      let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
      return key.isValidSignature(signature, for: digest, padding: padding == .pss ? .PSS : .insecurePKCS1v1_5)
    }
  }
}
