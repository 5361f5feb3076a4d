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

  // Names only: code that asks for these and has another way compiles. `SecKeyIsAlgorithmSupported` is false for each of them,
  // whatever the key.

  /// ECIES: X9.63 over SHA-1, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionStandardX963SHA1AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM")
  /// ECIES: X9.63 over SHA-224, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionStandardX963SHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM")
  /// ECIES: X9.63 over SHA-256, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionStandardX963SHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
  /// ECIES: X9.63 over SHA-384, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionStandardX963SHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM")
  /// ECIES: X9.63 over SHA-512, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionStandardX963SHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM")
  /// ECIES: X9.63 over SHA-1, AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA1AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM-KDFIV")
  /// ECIES: X9.63 over SHA-224, AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV")
  /// ECIES: X9.63 over SHA-256, AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV")
  /// ECIES: X9.63 over SHA-384, AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV")
  /// ECIES: X9.63 over SHA-512, AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV")
  /// ECIES, times the cofactor: X9.63 over SHA-1, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionCofactorX963SHA1AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM")
  /// ECIES, times the cofactor: X9.63 over SHA-224, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionCofactorX963SHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM")
  /// ECIES, times the cofactor: X9.63 over SHA-256, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionCofactorX963SHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM")
  /// ECIES, times the cofactor: X9.63 over SHA-384, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionCofactorX963SHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM")
  /// ECIES, times the cofactor: X9.63 over SHA-512, AES-GCM with zeros for the nonce.
  public static let eciesEncryptionCofactorX963SHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM")
  /// ECIES, times the cofactor: X9.63 over SHA-1, AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA1AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM-KDFIV")
  /// ECIES, times the cofactor: X9.63 over SHA-224, AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV")
  /// ECIES, times the cofactor: X9.63 over SHA-256, AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV")
  /// ECIES, times the cofactor: X9.63 over SHA-384, AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV")
  /// ECIES, times the cofactor: X9.63 over SHA-512, AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV")
  /// AES-GCM under a key that is encrypted by RSA with OAEP over SHA-1.
  public static let rsaEncryptionOAEPSHA1AESGCM = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA1:AESGCM")
  /// AES-GCM under a key that is encrypted by RSA with OAEP over SHA-224.
  public static let rsaEncryptionOAEPSHA224AESGCM = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA224:AESGCM")
  /// AES-GCM under a key that is encrypted by RSA with OAEP over SHA-256.
  public static let rsaEncryptionOAEPSHA256AESGCM = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA256:AESGCM")
  /// AES-GCM under a key that is encrypted by RSA with OAEP over SHA-384.
  public static let rsaEncryptionOAEPSHA384AESGCM = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA384:AESGCM")
  /// AES-GCM under a key that is encrypted by RSA with OAEP over SHA-512.
  public static let rsaEncryptionOAEPSHA512AESGCM = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA512:AESGCM")
  /// RSA without padding.
  public static let rsaEncryptionRaw = SecKeyAlgorithm("algid:encrypt:RSA:raw")
  /// An RSA signature without padding.
  public static let rsaSignatureRaw = SecKeyAlgorithm("algid:sign:RSA:raw")
  /// An RSA signature with PKCS #1 v1.5 padding, which does not name the digest.
  public static let rsaSignatureDigestPKCS1v15Raw = SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15")
  /// An ECDSA signature of a digest that is not named.
  public static let ecdsaSignatureDigestX962 = SecKeyAlgorithm("algid:sign:ECDSA:digest-X962")
  /// An ECDSA signature of a digest that is not named, as two numbers side by side.
  public static let ecdsaSignatureRFC4754 = SecKeyAlgorithm("algid:sign:ECDSA:RFC4754")
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
