internal import CofferOpenSSL
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
