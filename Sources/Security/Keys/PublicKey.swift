internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A public key of any kind, over swift-crypto.
enum PublicKey: Sendable {
  case p256(P256.Signing.PublicKey)
  case p384(P384.Signing.PublicKey)
  case p521(P521.Signing.PublicKey)
  case rsa(_RSA.Signing.PublicKey)

  /// Reads a key from outside: a point of X9.63 without compression; PKCS #1, or SubjectPublicKeyInfo with RSA in it.
  init(_ data: Data, type: KeyType) throws(SecurityError) {
    do {
      switch type {
      case .ellipticCurve: try self.init(point: data)
      case .rsa: try self.init(rsa: data)
      }
    } catch {
      throw SecurityError(errSecParam, "the data is no public key of this type")
    }
  }

  private init(point: Data) throws {
    guard point.first == 4 else { throw SecurityError(errSecParam, "the point is compressed or none") }
    switch point.count {
    case 65: self = .p256(try P256.Signing.PublicKey(x963Representation: point))
    case 97: self = .p384(try P384.Signing.PublicKey(x963Representation: point))
    case 133: self = .p521(try P521.Signing.PublicKey(x963Representation: point))
    default: throw SecurityError(errSecParam, "no curve has points of this size")
    }
  }

  private init(rsa data: Data) throws {
    guard data.count <= RSALimits.maximumByteCount else { throw SecurityError(errSecParam, "the key is too long") }
    let key = try _RSA.Signing.PublicKey(unsafeDERRepresentation: data)
    // The reader takes what follows the key for no part of it. One key has one encoding here.
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

  /// Apple's external format: the point of X9.63 without compression, or PKCS #1.
  var externalRepresentation: Data {
    switch self {
    case .p256(let key): key.x963Representation
    case .p384(let key): key.x963Representation
    case .p521(let key): key.x963Representation
    case .rsa(let key): key.pkcs1DERRepresentation
    }
  }

  /// True where the signature is this key's, of this digest. A signature that cannot be read is nobody's.
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

/// The sizes of RSA keys that are read and made.
enum RSALimits {
  /// The longest encoding that is looked at; a private key of 8192 bits has less than 5 KiB.
  static let maximumByteCount = 8192
  /// The sizes, in bits.
  static let bitCounts = 1024...8192

  static func check(bitCount: Int) throws(SecurityError) {
    guard bitCounts.contains(bitCount) else {
      throw SecurityError(errSecParam, "RSA keys have 1024 to 8192 bits")
    }
  }
}
