internal import CofferPlatform
internal import Crypto
internal import SwiftASN1

/// The public key of a certificate: its algorithm, and the key in the algorithm's encoding.
package struct SubjectPublicKeyInfo: Sendable, Hashable {
  /// The content bytes of the algorithm's object identifier.
  package let algorithm: [UInt8]
  /// The algorithm's parameters as DER; nil if there are none.
  package let parameters: [UInt8]?
  /// The content of the BIT STRING: a PKCS#1 public key for RSA, an X9.63 point for elliptic curves.
  package let keyBits: [UInt8]
  /// The kind of the key. `other` also if the bits are not a valid encoding for the algorithm.
  package let kind: KeyKind

  init(_ node: ASN1Node) throws(CertificateError) {
    var fields = try DERFields(of: node, "the subject's public key")
    let identifier = try AlgorithmIdentifier(fields.required(), "the public key's algorithm")
    algorithm = identifier.algorithm
    parameters = identifier.parameters.map { Array($0.encodedBytes) }
    keyBits = Array(try fields.required().wholeBytes("the public key"))
    try fields.end()
    kind = KeyKind(identifier, keyBits: keyBits)
  }

  /// The SHA-1 hash of `keyBits`, by which the Keychain matches a certificate with its private key:
  /// `kSecAttrPublicKeyHash` of the certificate, `kSecAttrApplicationLabel` of the key.
  package var hash: [UInt8] { Array(Insecure.SHA1.hash(data: keyBits)) }
}

/// An algorithm and its parameters.
struct AlgorithmIdentifier {
  let algorithm: [UInt8]
  let parameters: ASN1Node?

  init(_ node: ASN1Node, _ part: String) throws(CertificateError) {
    var fields = try DERFields(of: node, part)
    algorithm = try fields.required().objectIdentifier(part)
    parameters = fields.next()
    try fields.end()
  }
}

/// The kind and size of a key, as far as the Keychain distinguishes them.
package enum KeyKind: Sendable, Hashable {
  /// An RSA key with a modulus of `bits` bits.
  case rsa(bits: Int)
  /// A key on one of the curves that the Keychain supports.
  case ec(Curve)
  /// Any other key.
  case other

  /// A NIST elliptic curve.
  package enum Curve: Int, CaseIterable, Sendable, Hashable {
    case p256 = 256
    case p384 = 384
    case p521 = 521

    /// The size of the curve's field, which the Keychain uses as the size of the key.
    package var bits: Int { rawValue }

    /// The size of an uncompressed X9.63 point: the byte 4 and two coordinates.
    var pointByteCount: Int { 1 + 2 * ((bits + 7) / 8) }
  }

  init(_ algorithm: AlgorithmIdentifier, keyBits: [UInt8]) {
    self = .other
    switch algorithm.algorithm {
    case KnownIdentifiers.rsaEncryption:
      // An invalid key must not make the rest of the certificate unreadable.
      do {
        self = .rsa(bits: try RSAKey(publicKey: keyBits).sizeInBits)
      } catch {}
    case KnownIdentifiers.ecPublicKey:
      guard case .primitive(let bytes)? = algorithm.parameters?.content,
        algorithm.parameters?.identifier == .objectIdentifier,
        let curve = Curve(identifier: Array(bytes)), keyBits.count == curve.pointByteCount, keyBits.first == 4
      else { return }
      self = .ec(curve)
    default: break
    }
  }
}

extension KeyKind.Curve {
  init?(identifier: [UInt8]) {
    switch identifier {
    case KnownIdentifiers.p256: self = .p256
    case KnownIdentifiers.p384: self = .p384
    case KnownIdentifiers.p521: self = .p521
    default: return nil
    }
  }
}

/// A public RSA key in PKCS#1 form (RFC 8017, A.1), the form that `SecKeyCreateWithData` takes.
///
/// Structure, signs and sizes are checked. The arithmetic relation of the numbers is not: it matters only for using the
/// key.
package struct RSAKey: Sendable, Hashable {
  /// The size limit of an encoded key, in bytes.
  package static let maximumByteCount = 16 * 1024

  /// The number of bits of the modulus.
  package let sizeInBits: Int

  /// Reads an RSAPublicKey: modulus and public exponent. Throws `tooLarge` beyond `maximumByteCount`, and `malformed`
  /// if the bytes are not exactly one key, the modulus is even, or the exponent is even or 1.
  package init(publicKey der: [UInt8]) throws(CertificateError) {
    guard der.count <= Self.maximumByteCount else {
      throw CertificateError(.tooLarge, "the RSA key is longer than \(Self.maximumByteCount) bytes")
    }
    var fields = try DERFields(of: .root(of: der[...], "the RSA key"), "the RSA key")
    let modulus = try Self.positive(fields.required())
    let exponent = try Self.positive(fields.required())
    guard let first = modulus.first, let last = modulus.last, last % 2 == 1 else {
      throw CertificateError(.malformed, "the RSA modulus is even")
    }
    guard let lowest = exponent.last, lowest % 2 == 1, Array(exponent) != [1] else {
      throw CertificateError(.malformed, "the RSA public exponent is even or 1")
    }
    try fields.end()
    sizeInBits = modulus.count * 8 - first.leadingZeroBitCount
  }

  /// Returns the bytes of a positive number without a leading zero byte.
  static func positive(_ node: ASN1Node) throws(CertificateError) -> ArraySlice<UInt8> {
    let bytes = try node.integer("a number of the RSA key")
    let digits = bytes.first == 0 ? bytes.dropFirst() : bytes
    guard let sign = bytes.first, sign < 0x80, !digits.isEmpty else {
      throw CertificateError(.malformed, "a number of the RSA key is not positive")
    }
    return digits
  }
}
