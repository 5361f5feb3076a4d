internal import CofferCrypto
internal import Foundation

/// The padding of ``SecKeyEncrypt(_:_:_:_:_:_:)``, ``SecKeyRawSign(_:_:_:_:_:_:)`` and their counterparts; empty for
/// none.
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

/// Signs a digest, or a number if there is no padding, as on iOS.
///
/// - Parameters:
///   - key: The private key.
///   - padding: For RSA, a padding for signatures or none. For EC, `sigRaw` for the concatenation of r and s, otherwise
///     DER.
///   - dataToSign: The digest.
///   - dataToSignLen: The length of the digest, in bytes.
///   - sig: Set to the signature.
///   - sigLen: The length of `sig`; set to the length of the signature.
/// - Returns: `errSecSuccess`; `errSecParam` if the key does not support the padding, the length of the digest is
///   wrong, or `sig` is too short; `errSecNotAvailable` if OpenSSL is needed and not installed.
@available(*, deprecated, message: "use SecKeyCreateSignature")
@discardableResult
public func SecKeyRawSign(
  _ key: SecKey, _ padding: SecPadding, _ dataToSign: UnsafePointer<UInt8>, _ dataToSignLen: Int,
  _ sig: UnsafeMutablePointer<UInt8>, _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
  status { () throws(SecurityError) in
    let algorithm = try supported(padding.signatureAlgorithm(of: key.publicKey.type))
    let signature = try unsafe key.signature(of: Data(bytes: dataToSign, count: dataToSignLen), by: algorithm)
    try unsafe write([UInt8](signature), to: sig, sigLen)
  }
}

/// Verifies a signature of a digest, or of a number if there is no padding, as on iOS.
///
/// - Parameters:
///   - key: The public key.
///   - padding: The padding, as in ``SecKeyRawSign(_:_:_:_:_:_:)``.
///   - signedData: The digest.
///   - signedDataLen: The length of the digest, in bytes.
///   - sig: The signature.
///   - sigLen: The length of the signature, in bytes.
/// - Returns: `errSecSuccess`; ``errSSLCrypto`` if the signature is invalid; `errSecParam` if the key does not support
///   the padding or the length of the digest is wrong; `errSecNotAvailable` if OpenSSL is needed and not installed.
@available(*, deprecated, message: "use SecKeyVerifySignature")
@discardableResult
public func SecKeyRawVerify(
  _ key: SecKey, _ padding: SecPadding, _ signedData: UnsafePointer<UInt8>, _ signedDataLen: Int,
  _ sig: UnsafePointer<UInt8>, _ sigLen: Int
) -> OSStatus {
  let result = status { () throws(SecurityError) in
    let algorithm = try supported(padding.signatureAlgorithm(of: key.publicKey.type))
    try unsafe key.verify(
      Data(bytes: sig, count: sigLen), of: Data(bytes: signedData, count: signedDataLen), by: algorithm)
  }
  return result == errSecVerifyFailed ? errSSLCrypto : result
}

/// Encrypts data with a public RSA key.
///
/// - Parameters:
///   - key: The public key.
///   - padding: `PKCS1`, `OAEP` or none.
///   - plainText: The data.
///   - plainTextLen: The length of the data, in bytes.
///   - cipherText: Set to the encrypted data, as many bytes as the modulus.
///   - cipherTextLen: The length of `cipherText`; set to the length of the encrypted data.
/// - Returns: `errSecSuccess`; `errSecParam` if the key does not support the padding, the data is too long, or
///   `cipherText` too short; `errSecNotAvailable` if OpenSSL is needed and not installed.
@available(*, deprecated, message: "use SecKeyCreateEncryptedData")
@discardableResult
public func SecKeyEncrypt(
  _ key: SecKey, _ padding: SecPadding, _ plainText: UnsafePointer<UInt8>, _ plainTextLen: Int,
  _ cipherText: UnsafeMutablePointer<UInt8>, _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
  status { () throws(SecurityError) in
    let algorithm = try supported(padding.encryptionAlgorithm)
    let encrypted = try unsafe key.encrypt(Data(bytes: plainText, count: plainTextLen), by: algorithm)
    try unsafe write(encrypted, to: cipherText, cipherTextLen)
  }
}

/// Decrypts data with a private RSA key.
///
/// - Parameters:
///   - key: The private key.
///   - padding: The padding with which the data was encrypted.
///   - cipherText: The encrypted data.
///   - cipherTextLen: The length of the encrypted data, in bytes.
///   - plainText: Set to the plaintext; without padding, beginning with its first byte other than zero.
///   - plainTextLen: The length of `plainText`; set to the length of the plaintext.
/// - Returns: `errSecSuccess`; `errSecParam` if the key does not support the padding, the data was not encrypted for
///   it, or `plainText` is too short; `errSecNotAvailable` if OpenSSL is needed and not installed.
@available(*, deprecated, message: "use SecKeyCreateDecryptedData")
@discardableResult
public func SecKeyDecrypt(
  _ key: SecKey, _ padding: SecPadding, _ cipherText: UnsafePointer<UInt8>, _ cipherTextLen: Int,
  _ plainText: UnsafeMutablePointer<UInt8>, _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
  status { () throws(SecurityError) in
    let algorithm = try supported(padding.encryptionAlgorithm)
    var decrypted = try unsafe key.decrypt(Data(bytes: cipherText, count: cipherTextLen), by: algorithm)
    defer { decrypted.wipe() }
    let zeros = padding == [] ? decrypted.prefix { $0 == 0 }.count : 0
    try unsafe write(decrypted.dropFirst(zeros), to: plainText, plainTextLen)
  }
}

private func supported(_ algorithm: SecKeyAlgorithm?) throws(SecurityError) -> SecKeyAlgorithm {
  guard let algorithm else { throw SecurityError(errSecParam, "the key does not support this padding") }
  return algorithm
}

/// Writes a result to a caller's buffer and its length over that of the buffer. Throws `errSecParam` if the buffer is
/// too short; nothing is written then.
private func write(
  _ result: some Collection<UInt8>, to start: UnsafeMutablePointer<UInt8>, _ count: UnsafeMutablePointer<Int>
) throws(SecurityError) {
  guard unsafe count.pointee >= result.count else {
    throw SecurityError(errSecParam, "the buffer is shorter than the result, which has \(result.count) bytes")
  }
  _ = unsafe UnsafeMutableBufferPointer(start: start, count: result.count).initialize(fromContentsOf: result)
  unsafe count.pointee = result.count
}
