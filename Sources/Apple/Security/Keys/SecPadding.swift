/// The padding of ``SecKeyEncrypt(_:_:_:_:_:_:)``, ``SecKeyRawSign(_:_:_:_:_:_:)`` and their counterparts; empty for none.
///
/// As in Apple's declaration an option set, although the values cannot be combined.
@available(*, deprecated, message: "use SecKeyAlgorithm")
public struct SecPadding: OptionSet, Sendable {
  /// Apple's number.
  public let rawValue: UInt32

  /// Creates a padding from Apple's number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// PKCS #1 v1.5. For signatures, the padding does not name the hash function of the digest.
  public static let PKCS1 = SecPadding(rawValue: 1)
  /// OAEP with SHA-1.
  public static let OAEP = SecPadding(rawValue: 2)
  /// ECDSA signatures as the concatenation of r and s.
  public static let sigRaw = SecPadding(rawValue: 0x4000)
  /// PKCS #1 v1.5 of an MD2 digest: not supported.
  public static let PKCS1MD2 = SecPadding(rawValue: 0x8000)
  /// PKCS #1 v1.5 of an MD5 digest: not supported.
  public static let PKCS1MD5 = SecPadding(rawValue: 0x8001)
  /// PKCS #1 v1.5 of a SHA-1 digest.
  public static let PKCS1SHA1 = SecPadding(rawValue: 0x8002)
  /// PKCS #1 v1.5 of a SHA-224 digest.
  public static let PKCS1SHA224 = SecPadding(rawValue: 0x8003)
  /// PKCS #1 v1.5 of a SHA-256 digest.
  public static let PKCS1SHA256 = SecPadding(rawValue: 0x8004)
  /// PKCS #1 v1.5 of a SHA-384 digest.
  public static let PKCS1SHA384 = SecPadding(rawValue: 0x8005)
  /// PKCS #1 v1.5 of a SHA-512 digest.
  public static let PKCS1SHA512 = SecPadding(rawValue: 0x8006)
}

@available(*, deprecated)
extension SecPadding {
  /// Returns the algorithm of a signature by a key of this type, as on iOS; nil for an unsupported padding.
  func signatureAlgorithm(of type: KeyType) -> SecKeyAlgorithm? {
    switch (type, self) {
    case (.ellipticCurve, .sigRaw): .ecdsaSignatureRFC4754
    // Every other padding: DER.
    case (.ellipticCurve, _): .ecdsaSignatureDigestX962
    case (.rsa, []): .rsaSignatureRaw
    case (.rsa, .PKCS1): .rsaSignatureDigestPKCS1v15Raw
    case (.rsa, .PKCS1SHA1): .rsaSignatureDigestPKCS1v15SHA1
    case (.rsa, .PKCS1SHA224): .rsaSignatureDigestPKCS1v15SHA224
    case (.rsa, .PKCS1SHA256): .rsaSignatureDigestPKCS1v15SHA256
    case (.rsa, .PKCS1SHA384): .rsaSignatureDigestPKCS1v15SHA384
    case (.rsa, .PKCS1SHA512): .rsaSignatureDigestPKCS1v15SHA512
    default: nil
    }
  }

  /// The algorithm of an encryption by an RSA key; nil for an unsupported padding.
  var encryptionAlgorithm: SecKeyAlgorithm? {
    switch self {
    case []: .rsaEncryptionRaw
    case .PKCS1: .rsaEncryptionPKCS1
    case .OAEP: .rsaEncryptionOAEPSHA1
    default: nil
    }
  }
}
