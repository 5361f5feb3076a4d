public import Foundation

/// A way of using a key, under Apple's name for it.
///
/// ECDSA signatures are DER (X9.62). PSS takes the same digest for its mask and a salt as long as the digest. The
/// algorithms over SHA-224 have names, and no key supports them here; nor does one support OAEP over SHA-384 and SHA-512.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
  private let name: String

  /// Apple's name.
  public var rawValue: CFString { NSString(string: name) }

  /// Takes Apple's name.
  public init(rawValue: CFString) { name = String(rawValue) }

  private init(_ name: String) { self.name = name }

  /// An ECDSA signature of the data, over its SHA-1.
  public static let ecdsaSignatureMessageX962SHA1 = SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA1")
  /// An ECDSA signature of the data, over its SHA-224.
  public static let ecdsaSignatureMessageX962SHA224 = SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA224")
  /// An ECDSA signature of the data, over its SHA-256.
  public static let ecdsaSignatureMessageX962SHA256 = SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA256")
  /// An ECDSA signature of the data, over its SHA-384.
  public static let ecdsaSignatureMessageX962SHA384 = SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA384")
  /// An ECDSA signature of the data, over its SHA-512.
  public static let ecdsaSignatureMessageX962SHA512 = SecKeyAlgorithm("algid:sign:ECDSA:message-X962:SHA512")
  /// An RSA signature with PKCS #1 v1.5 padding of the data, over its SHA-1.
  public static let rsaSignatureMessagePKCS1v15SHA1 = SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA1")
  /// An RSA signature with PKCS #1 v1.5 padding of the data, over its SHA-224.
  public static let rsaSignatureMessagePKCS1v15SHA224 = SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA224")
  /// An RSA signature with PKCS #1 v1.5 padding of the data, over its SHA-256.
  public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA256")
  /// An RSA signature with PKCS #1 v1.5 padding of the data, over its SHA-384.
  public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA384")
  /// An RSA signature with PKCS #1 v1.5 padding of the data, over its SHA-512.
  public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm("algid:sign:RSA:message-PKCS1v15:SHA512")
  /// An RSA signature with PSS padding of the data, over its SHA-1.
  public static let rsaSignatureMessagePSSSHA1 = SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA1:SHA1:20")
  /// An RSA signature with PSS padding of the data, over its SHA-224.
  public static let rsaSignatureMessagePSSSHA224 = SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA224:SHA224:28")
  /// An RSA signature with PSS padding of the data, over its SHA-256.
  public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA256:SHA256:32")
  /// An RSA signature with PSS padding of the data, over its SHA-384.
  public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA384:SHA384:48")
  /// An RSA signature with PSS padding of the data, over its SHA-512.
  public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm("algid:sign:RSA:message-PSS:SHA512:SHA512:64")
  /// An ECDSA signature of data whose SHA-1 is given.
  public static let ecdsaSignatureDigestX962SHA1 = SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA1")
  /// An ECDSA signature of data whose SHA-224 is given.
  public static let ecdsaSignatureDigestX962SHA224 = SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA224")
  /// An ECDSA signature of data whose SHA-256 is given.
  public static let ecdsaSignatureDigestX962SHA256 = SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA256")
  /// An ECDSA signature of data whose SHA-384 is given.
  public static let ecdsaSignatureDigestX962SHA384 = SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA384")
  /// An ECDSA signature of data whose SHA-512 is given.
  public static let ecdsaSignatureDigestX962SHA512 = SecKeyAlgorithm("algid:sign:ECDSA:digest-X962:SHA512")
  /// An RSA signature with PKCS #1 v1.5 padding of data whose SHA-1 is given.
  public static let rsaSignatureDigestPKCS1v15SHA1 = SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA1")
  /// An RSA signature with PKCS #1 v1.5 padding of data whose SHA-224 is given.
  public static let rsaSignatureDigestPKCS1v15SHA224 = SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA224")
  /// An RSA signature with PKCS #1 v1.5 padding of data whose SHA-256 is given.
  public static let rsaSignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA256")
  /// An RSA signature with PKCS #1 v1.5 padding of data whose SHA-384 is given.
  public static let rsaSignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA384")
  /// An RSA signature with PKCS #1 v1.5 padding of data whose SHA-512 is given.
  public static let rsaSignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:SHA512")
  /// An RSA signature with PSS padding of data whose SHA-1 is given.
  public static let rsaSignatureDigestPSSSHA1 = SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
  /// An RSA signature with PSS padding of data whose SHA-224 is given.
  public static let rsaSignatureDigestPSSSHA224 = SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA224:SHA224:28")
  /// An RSA signature with PSS padding of data whose SHA-256 is given.
  public static let rsaSignatureDigestPSSSHA256 = SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
  /// An RSA signature with PSS padding of data whose SHA-384 is given.
  public static let rsaSignatureDigestPSSSHA384 = SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
  /// An RSA signature with PSS padding of data whose SHA-512 is given.
  public static let rsaSignatureDigestPSSSHA512 = SecKeyAlgorithm("algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
  /// RSA encryption with PKCS #1 v1.5 padding.
  public static let rsaEncryptionPKCS1 = SecKeyAlgorithm("algid:encrypt:RSA:PKCS1")
  /// RSA encryption with OAEP over SHA-1.
  public static let rsaEncryptionOAEPSHA1 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA1")
  /// RSA encryption with OAEP over SHA-224.
  public static let rsaEncryptionOAEPSHA224 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA224")
  /// RSA encryption with OAEP over SHA-256.
  public static let rsaEncryptionOAEPSHA256 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA256")
  /// RSA encryption with OAEP over SHA-384.
  public static let rsaEncryptionOAEPSHA384 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA384")
  /// RSA encryption with OAEP over SHA-512.
  public static let rsaEncryptionOAEPSHA512 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA512")
  /// The shared point of a Diffie-Hellman exchange.
  public static let ecdhKeyExchangeStandard = SecKeyAlgorithm("algid:keyexchange:ECDH")
  /// A key that is derived from the shared point, by X9.63 over SHA-1.
  public static let ecdhKeyExchangeStandardX963SHA1 = SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA1")
  /// A key that is derived from the shared point, by X9.63 over SHA-224.
  public static let ecdhKeyExchangeStandardX963SHA224 = SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA224")
  /// A key that is derived from the shared point, by X9.63 over SHA-256.
  public static let ecdhKeyExchangeStandardX963SHA256 = SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA256")
  /// A key that is derived from the shared point, by X9.63 over SHA-384.
  public static let ecdhKeyExchangeStandardX963SHA384 = SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA384")
  /// A key that is derived from the shared point, by X9.63 over SHA-512.
  public static let ecdhKeyExchangeStandardX963SHA512 = SecKeyAlgorithm("algid:keyexchange:ECDH:KDFX963:SHA512")
  /// The shared point of a Diffie-Hellman exchange, times the cofactor.
  public static let ecdhKeyExchangeCofactor = SecKeyAlgorithm("algid:keyexchange:ECDHC")
  /// A key that is derived from the shared point, times the cofactor, by X9.63 over SHA-1.
  public static let ecdhKeyExchangeCofactorX963SHA1 = SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA1")
  /// A key that is derived from the shared point, times the cofactor, by X9.63 over SHA-224.
  public static let ecdhKeyExchangeCofactorX963SHA224 = SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA224")
  /// A key that is derived from the shared point, times the cofactor, by X9.63 over SHA-256.
  public static let ecdhKeyExchangeCofactorX963SHA256 = SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA256")
  /// A key that is derived from the shared point, times the cofactor, by X9.63 over SHA-384.
  public static let ecdhKeyExchangeCofactorX963SHA384 = SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA384")
  /// A key that is derived from the shared point, times the cofactor, by X9.63 over SHA-512.
  public static let ecdhKeyExchangeCofactorX963SHA512 = SecKeyAlgorithm("algid:keyexchange:ECDHC:KDFX963:SHA512")
}

/// What a key is used for.
public enum SecKeyOperationType: CFIndex, Sendable {
  /// To sign.
  case sign = 0
  /// To verify a signature.
  case verify = 1
  /// To encrypt.
  case encrypt = 2
  /// To decrypt.
  case decrypt = 3
  /// To agree on a secret.
  case keyExchange = 4
}
