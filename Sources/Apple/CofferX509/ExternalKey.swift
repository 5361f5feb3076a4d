internal import CofferPlatform
internal import Crypto
internal import SwiftASN1

/// A private RSA key, or one on a curve that the Keychain supports, in the form in which the Keychain stores it.
package struct ExternalKey: Sendable {
  /// The size limit of a key in DER, in bytes. An RSA key of 8192 bits has less than 5 KiB.
  package static let maximumByteCount = 16 * 1024
  /// The sizes of an RSA key, in bits.
  package static let rsaBitCounts = 1024...8192

  /// Apple's external representation: the X9.63 point and the private scalar, or PKCS #1. The caller wipes it.
  package var externalRepresentation: [UInt8]
  package let kind: KeyKind
  /// The SHA-1 hash of the public key, by which the Keychain matches it with certificates.
  package let publicKeyHash: [UInt8]

  /// Generates a key.
  package init(generatingOn curve: KeyKind.Curve) {
    switch curve {
    case .p256: self.init(P256.Signing.PrivateKey(), curve)
    case .p384: self.init(P384.Signing.PrivateKey(), curve)
    case .p521: self.init(P521.Signing.PrivateKey(), curve)
    }
  }

  /// Reads a key in DER: PKCS #8 without encryption, PKCS #1, or SEC 1 with the name of its curve. Throws `unsupported`
  /// for another algorithm, and for an encrypted key, and `malformed` for anything else.
  package init(der: [UInt8]) throws(CertificateError) {
    guard der.count <= Self.maximumByteCount else {
      throw CertificateError(.tooLarge, "the key is longer than \(Self.maximumByteCount) bytes")
    }
    var fields = try DERFields(of: .root(of: der[...], "the key"), "the key")
    let version = try fields.required()
    if version.identifier == .sequence {
      var encryption = try DERFields(of: version, "the key's encryption")
      let scheme = try? encryption.required().objectIdentifier("the key's encryption")
      if scheme?.starts(with: KnownIdentifiers.pkcs5) == true {
        throw CertificateError(.unsupported, "the key is encrypted")
      }
      throw CertificateError(.malformed, "the bytes are no private key")
    }
    _ = try version.integer("the key's version")
    let second = try fields.required()
    guard second.identifier == .sequence else {
      if second.identifier == .integer {
        try self.init(rsa: der[...])
      } else {
        // The name of the curve, which is optional in SEC 1.
        let parameters = fields.optional(.init(tagWithNumber: 0, tagClass: .contextSpecific))
        guard case .constructed(let children)? = parameters?.content, let name = children.first(where: { _ in true })
        else {
          throw CertificateError(.unsupported, "the key does not name its curve")
        }
        try self.init(der, on: name)
      }
      return
    }
    let identifier = try AlgorithmIdentifier(second, "the key's algorithm")
    switch identifier.algorithm {
    case KnownIdentifiers.rsaEncryption:
      self = try Self(rsa: fields.required().content(as: .octetString, "the RSA key"))
    case KnownIdentifiers.ecPublicKey: try self.init(der, on: identifier.parameters)
    default:
      let name = KnownIdentifiers.otherKeys[identifier.algorithm] ?? "another algorithm"
      throw CertificateError(.unsupported, "the key is of \(name); only RSA, P-256, P-384 and P-521 are supported")
    }
  }

  /// Reads a key in Apple's external representation. Throws `malformed` if it is none.
  package init(externalRepresentation bytes: [UInt8]) throws(CertificateError) {
    do {
      switch bytes.count {
      case _ where bytes.first == 0x30: try self.init(rsa: bytes[...])
      case 97: self.init(try P256.Signing.PrivateKey(x963Representation: bytes), .p256)
      case 145: self.init(try P384.Signing.PrivateKey(x963Representation: bytes), .p384)
      case 199: self.init(try P521.Signing.PrivateKey(x963Representation: bytes), .p521)
      default: throw CertificateError(.malformed, "the value is no private key")
      }
    } catch let error as CertificateError {
      throw error
    } catch {
      throw CertificateError(.malformed, "the value is no private key: the numbers do not belong together")
    }
  }

  /// Takes the private scalar of a key, as long as a coordinate. Throws `malformed` for a number that is no key.
  package init(scalar bytes: [UInt8], on curve: KeyKind.Curve) throws(CertificateError) {
    do {
      switch curve {
      case .p256: self.init(try P256.Signing.PrivateKey(rawRepresentation: bytes), curve)
      case .p384: self.init(try P384.Signing.PrivateKey(rawRepresentation: bytes), curve)
      case .p521: self.init(try P521.Signing.PrivateKey(rawRepresentation: bytes), curve)
      }
    } catch {
      throw CertificateError(.malformed, "the number is no private key")
    }
  }

  /// Returns the key in PKCS #8, without encryption. The caller wipes it.
  package func pkcs8() throws(CertificateError) -> [UInt8] {
    do {
      switch kind {
      case .ec(.p256):
        return Array(try P256.Signing.PrivateKey(x963Representation: externalRepresentation).derRepresentation)
      case .ec(.p384):
        return Array(try P384.Signing.PrivateKey(x963Representation: externalRepresentation).derRepresentation)
      case .ec(.p521):
        return Array(try P521.Signing.PrivateKey(x963Representation: externalRepresentation).derRepresentation)
      case .rsa, .other: return Self.pkcs8(rsa: externalRepresentation)
      }
    } catch {
      throw CertificateError(.malformed, "the value is no private key")
    }
  }

  private init(_ key: some CurveKey, _ curve: KeyKind.Curve) {
    externalRepresentation = Array(key.x963Representation)
    kind = .ec(curve)
    publicKeyHash = Array(Insecure.SHA1.hash(data: key.point))
  }

  /// Reads a key in PKCS #8 or SEC 1 on the curve of this name, which swift-crypto does not compare.
  private init(_ der: [UInt8], on name: ASN1Node?) throws(CertificateError) {
    guard let identifier = try name?.objectIdentifier("the key's curve"),
      let curve = KeyKind.Curve(identifier: identifier)
    else { throw CertificateError(.unsupported, "the key is on another curve than P-256, P-384 and P-521") }
    do {
      switch curve {
      case .p256: self.init(try P256.Signing.PrivateKey(derRepresentation: der), curve)
      case .p384: self.init(try P384.Signing.PrivateKey(derRepresentation: der), curve)
      case .p521: self.init(try P521.Signing.PrivateKey(derRepresentation: der), curve)
      }
    } catch {
      throw CertificateError(.malformed, "the number is no private key")
    }
  }

  /// Reads a key in PKCS #1, of two primes. Structure, signs and sizes are checked, and not the arithmetic relation of
  /// the numbers.
  private init(rsa der: ArraySlice<UInt8>) throws(CertificateError) {
    var fields = try DERFields(of: .root(of: der, "the RSA key"), "the RSA key")
    guard try fields.required().integer("the version of the RSA key") == [0] else {
      throw CertificateError(.unsupported, "the RSA key has more than two primes")
    }
    let (modulus, exponent) = (try fields.required(), try fields.required())
    for _ in 0..<6 { _ = try RSAKey.positive(fields.required()) }
    try fields.end()
    let point = DERValue.encoding(tag: DERValue.sequence, modulus.encodedBytes + exponent.encodedBytes)
    let bitCount = try RSAKey(publicKey: point).sizeInBits
    guard Self.rsaBitCounts.contains(bitCount) else {
      throw CertificateError(.unsupported, "the RSA key has \(bitCount) bits; 1024 to 8192 are supported")
    }
    externalRepresentation = Array(der)
    kind = .rsa(bits: bitCount)
    publicKeyHash = Array(Insecure.SHA1.hash(data: point))
  }

  private static func pkcs8(rsa key: [UInt8]) -> [UInt8] {
    let identifier = DERValue.encoding(tag: DERValue.objectIdentifier, KnownIdentifiers.rsaEncryption)
    let algorithm = DERValue.encoding(tag: DERValue.sequence, identifier + [DERValue.null, 0])
    let content = DERValue.encoding(tag: DERValue.octetString, key)
    return DERValue.encoding(tag: DERValue.sequence, [DERValue.integer, 1, 0] + algorithm + content)
  }
}

/// A private key of swift-crypto.
private protocol CurveKey {
  var x963Representation: Data { get }
  /// The public key as an X9.63 point.
  var point: Data { get }
}

extension P256.Signing.PrivateKey: CurveKey { fileprivate var point: Data { publicKey.x963Representation } }
extension P384.Signing.PrivateKey: CurveKey { fileprivate var point: Data { publicKey.x963Representation } }
extension P521.Signing.PrivateKey: CurveKey { fileprivate var point: Data { publicKey.x963Representation } }
