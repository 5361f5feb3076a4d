public import Foundation

/// An algorithm of a signature, an encryption or a key exchange.
///
/// ECDSA signatures are in DER (X9.62) unless the name says otherwise. PSS uses the same hash function for its mask,
/// and a salt of the length of the digest; OAEP uses the same hash function for its mask. The algorithms with SHA-224,
/// OAEP with SHA-384 and SHA-512, and RSA without padding or without a hash function need OpenSSL 3; without it, no key
/// supports them.
///
/// ECIES is that of Apple's systems: the result is the uncompressed point of an ephemeral key, the ciphertext and the
/// tag of AES-GCM, 16 bytes. X9.63 derives the key, of 128 bits for P-256 and otherwise 256, from the shared secret and
/// the ephemeral key; with `VariableIV` also the nonce of 16 bytes, which otherwise is all zero.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
  let name: String

  /// Apple's name.
  public var rawValue: CFString { NSString(string: name) }

  /// Creates an algorithm from Apple's name.
  public init(rawValue: CFString) { name = String(rawValue) }

  private init(_ name: String) { self.name = name }

  /// ECDSA signature of data, with SHA-1.
  public static let ecdsaSignatureMessageX962SHA1 = Self("algid:sign:ECDSA:message-X962:SHA1")
  /// ECDSA signature of data, with SHA-224.
  public static let ecdsaSignatureMessageX962SHA224 = Self("algid:sign:ECDSA:message-X962:SHA224")
  /// ECDSA signature of data, with SHA-256.
  public static let ecdsaSignatureMessageX962SHA256 = Self("algid:sign:ECDSA:message-X962:SHA256")
  /// ECDSA signature of data, with SHA-384.
  public static let ecdsaSignatureMessageX962SHA384 = Self("algid:sign:ECDSA:message-X962:SHA384")
  /// ECDSA signature of data, with SHA-512.
  public static let ecdsaSignatureMessageX962SHA512 = Self("algid:sign:ECDSA:message-X962:SHA512")
  /// RSA signature of data, with PKCS #1 v1.5 padding and SHA-1.
  public static let rsaSignatureMessagePKCS1v15SHA1 = Self("algid:sign:RSA:message-PKCS1v15:SHA1")
  /// RSA signature of data, with PKCS #1 v1.5 padding and SHA-224.
  public static let rsaSignatureMessagePKCS1v15SHA224 = Self("algid:sign:RSA:message-PKCS1v15:SHA224")
  /// RSA signature of data, with PKCS #1 v1.5 padding and SHA-256.
  public static let rsaSignatureMessagePKCS1v15SHA256 = Self("algid:sign:RSA:message-PKCS1v15:SHA256")
  /// RSA signature of data, with PKCS #1 v1.5 padding and SHA-384.
  public static let rsaSignatureMessagePKCS1v15SHA384 = Self("algid:sign:RSA:message-PKCS1v15:SHA384")
  /// RSA signature of data, with PKCS #1 v1.5 padding and SHA-512.
  public static let rsaSignatureMessagePKCS1v15SHA512 = Self("algid:sign:RSA:message-PKCS1v15:SHA512")
  /// RSA signature of data, with PSS padding and SHA-1.
  public static let rsaSignatureMessagePSSSHA1 = Self("algid:sign:RSA:message-PSS:SHA1:SHA1:20")
  // Apple's names of PSS with SHA-224 state a salt of 24 bytes. It has 28, as the digest.

  /// RSA signature of data, with PSS padding and SHA-224.
  public static let rsaSignatureMessagePSSSHA224 = Self("algid:sign:RSA:message-PSS:SHA224:SHA224:24")
  /// RSA signature of data, with PSS padding and SHA-256.
  public static let rsaSignatureMessagePSSSHA256 = Self("algid:sign:RSA:message-PSS:SHA256:SHA256:32")
  /// RSA signature of data, with PSS padding and SHA-384.
  public static let rsaSignatureMessagePSSSHA384 = Self("algid:sign:RSA:message-PSS:SHA384:SHA384:48")
  /// RSA signature of data, with PSS padding and SHA-512.
  public static let rsaSignatureMessagePSSSHA512 = Self("algid:sign:RSA:message-PSS:SHA512:SHA512:64")
  /// ECDSA signature of a SHA-1 digest.
  public static let ecdsaSignatureDigestX962SHA1 = Self("algid:sign:ECDSA:digest-X962:SHA1")
  /// ECDSA signature of a SHA-224 digest.
  public static let ecdsaSignatureDigestX962SHA224 = Self("algid:sign:ECDSA:digest-X962:SHA224")
  /// ECDSA signature of a SHA-256 digest.
  public static let ecdsaSignatureDigestX962SHA256 = Self("algid:sign:ECDSA:digest-X962:SHA256")
  /// ECDSA signature of a SHA-384 digest.
  public static let ecdsaSignatureDigestX962SHA384 = Self("algid:sign:ECDSA:digest-X962:SHA384")
  /// ECDSA signature of a SHA-512 digest.
  public static let ecdsaSignatureDigestX962SHA512 = Self("algid:sign:ECDSA:digest-X962:SHA512")
  /// RSA signature of a SHA-1 digest, with PKCS #1 v1.5 padding.
  public static let rsaSignatureDigestPKCS1v15SHA1 = Self("algid:sign:RSA:digest-PKCS1v15:SHA1")
  /// RSA signature of a SHA-224 digest, with PKCS #1 v1.5 padding.
  public static let rsaSignatureDigestPKCS1v15SHA224 = Self("algid:sign:RSA:digest-PKCS1v15:SHA224")
  /// RSA signature of a SHA-256 digest, with PKCS #1 v1.5 padding.
  public static let rsaSignatureDigestPKCS1v15SHA256 = Self("algid:sign:RSA:digest-PKCS1v15:SHA256")
  /// RSA signature of a SHA-384 digest, with PKCS #1 v1.5 padding.
  public static let rsaSignatureDigestPKCS1v15SHA384 = Self("algid:sign:RSA:digest-PKCS1v15:SHA384")
  /// RSA signature of a SHA-512 digest, with PKCS #1 v1.5 padding.
  public static let rsaSignatureDigestPKCS1v15SHA512 = Self("algid:sign:RSA:digest-PKCS1v15:SHA512")
  /// RSA signature of a SHA-1 digest, with PSS padding.
  public static let rsaSignatureDigestPSSSHA1 = Self("algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
  /// RSA signature of a SHA-224 digest, with PSS padding.
  public static let rsaSignatureDigestPSSSHA224 = Self("algid:sign:RSA:digest-PSS:SHA224:SHA224:24")
  /// RSA signature of a SHA-256 digest, with PSS padding.
  public static let rsaSignatureDigestPSSSHA256 = Self("algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
  /// RSA signature of a SHA-384 digest, with PSS padding.
  public static let rsaSignatureDigestPSSSHA384 = Self("algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
  /// RSA signature of a SHA-512 digest, with PSS padding.
  public static let rsaSignatureDigestPSSSHA512 = Self("algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
  /// RSA encryption with PKCS #1 v1.5 padding.
  public static let rsaEncryptionPKCS1 = Self("algid:encrypt:RSA:PKCS1")
  /// RSA encryption with OAEP padding and SHA-1.
  public static let rsaEncryptionOAEPSHA1 = Self("algid:encrypt:RSA:OAEP:SHA1")
  /// RSA encryption with OAEP padding and SHA-224.
  public static let rsaEncryptionOAEPSHA224 = Self("algid:encrypt:RSA:OAEP:SHA224")
  /// RSA encryption with OAEP padding and SHA-256.
  public static let rsaEncryptionOAEPSHA256 = Self("algid:encrypt:RSA:OAEP:SHA256")
  /// RSA encryption with OAEP padding and SHA-384.
  public static let rsaEncryptionOAEPSHA384 = Self("algid:encrypt:RSA:OAEP:SHA384")
  /// RSA encryption with OAEP padding and SHA-512.
  public static let rsaEncryptionOAEPSHA512 = Self("algid:encrypt:RSA:OAEP:SHA512")
  /// Diffie-Hellman key exchange without a key derivation.
  public static let ecdhKeyExchangeStandard = Self("algid:keyexchange:ECDH")
  /// Diffie-Hellman key exchange with X9.63 key derivation and SHA-1.
  public static let ecdhKeyExchangeStandardX963SHA1 = Self("algid:keyexchange:ECDH:KDFX963:SHA1")
  /// Diffie-Hellman key exchange with X9.63 key derivation and SHA-224.
  public static let ecdhKeyExchangeStandardX963SHA224 = Self("algid:keyexchange:ECDH:KDFX963:SHA224")
  /// Diffie-Hellman key exchange with X9.63 key derivation and SHA-256.
  public static let ecdhKeyExchangeStandardX963SHA256 = Self("algid:keyexchange:ECDH:KDFX963:SHA256")
  /// Diffie-Hellman key exchange with X9.63 key derivation and SHA-384.
  public static let ecdhKeyExchangeStandardX963SHA384 = Self("algid:keyexchange:ECDH:KDFX963:SHA384")
  /// Diffie-Hellman key exchange with X9.63 key derivation and SHA-512.
  public static let ecdhKeyExchangeStandardX963SHA512 = Self("algid:keyexchange:ECDH:KDFX963:SHA512")
  /// Diffie-Hellman key exchange with cofactor, without a key derivation.
  public static let ecdhKeyExchangeCofactor = Self("algid:keyexchange:ECDHC")
  /// Diffie-Hellman key exchange with cofactor, X9.63 key derivation and SHA-1.
  public static let ecdhKeyExchangeCofactorX963SHA1 = Self("algid:keyexchange:ECDHC:KDFX963:SHA1")
  /// Diffie-Hellman key exchange with cofactor, X9.63 key derivation and SHA-224.
  public static let ecdhKeyExchangeCofactorX963SHA224 = Self("algid:keyexchange:ECDHC:KDFX963:SHA224")
  /// Diffie-Hellman key exchange with cofactor, X9.63 key derivation and SHA-256.
  public static let ecdhKeyExchangeCofactorX963SHA256 = Self("algid:keyexchange:ECDHC:KDFX963:SHA256")
  /// Diffie-Hellman key exchange with cofactor, X9.63 key derivation and SHA-384.
  public static let ecdhKeyExchangeCofactorX963SHA384 = Self("algid:keyexchange:ECDHC:KDFX963:SHA384")
  /// Diffie-Hellman key exchange with cofactor, X9.63 key derivation and SHA-512.
  public static let ecdhKeyExchangeCofactorX963SHA512 = Self("algid:keyexchange:ECDHC:KDFX963:SHA512")

  /// ECIES with X9.63 key derivation, SHA-1, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionStandardX963SHA1AESGCM = Self("algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM")
  /// ECIES with X9.63 key derivation, SHA-224, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionStandardX963SHA224AESGCM = Self("algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM")
  /// ECIES with X9.63 key derivation, SHA-256, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionStandardX963SHA256AESGCM = Self("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
  /// ECIES with X9.63 key derivation, SHA-384, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionStandardX963SHA384AESGCM = Self("algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM")
  /// ECIES with X9.63 key derivation, SHA-512, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionStandardX963SHA512AESGCM = Self("algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM")
  /// ECIES with X9.63 key derivation, SHA-224, and AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV")
  /// ECIES with X9.63 key derivation, SHA-256, and AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV")
  /// ECIES with X9.63 key derivation, SHA-384, and AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV")
  /// ECIES with X9.63 key derivation, SHA-512, and AES-GCM with a derived nonce.
  public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV")
  /// ECIES with cofactor, X9.63 key derivation, SHA-1, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionCofactorX963SHA1AESGCM = Self("algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM")
  /// ECIES with cofactor, X9.63 key derivation, SHA-224, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionCofactorX963SHA224AESGCM = Self("algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM")
  /// ECIES with cofactor, X9.63 key derivation, SHA-256, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionCofactorX963SHA256AESGCM = Self("algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM")
  /// ECIES with cofactor, X9.63 key derivation, SHA-384, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionCofactorX963SHA384AESGCM = Self("algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM")
  /// ECIES with cofactor, X9.63 key derivation, SHA-512, and AES-GCM with an all-zero nonce.
  public static let eciesEncryptionCofactorX963SHA512AESGCM = Self("algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM")
  /// ECIES with cofactor, X9.63 key derivation, SHA-224, and AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV")
  /// ECIES with cofactor, X9.63 key derivation, SHA-256, and AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV")
  /// ECIES with cofactor, X9.63 key derivation, SHA-384, and AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV")
  /// ECIES with cofactor, X9.63 key derivation, SHA-512, and AES-GCM with a derived nonce.
  public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV")
  /// RSA encryption without padding: of a number below the modulus.
  public static let rsaEncryptionRaw = Self("algid:encrypt:RSA:raw")
  /// RSA signature without padding: of a number below the modulus.
  public static let rsaSignatureRaw = Self("algid:sign:RSA:raw")
  /// RSA signature of a digest of any kind, with PKCS #1 v1.5 padding that does not name the hash function.
  public static let rsaSignatureDigestPKCS1v15Raw = Self("algid:sign:RSA:digest-PKCS1v15")
  /// ECDSA signature of a digest of any kind.
  public static let ecdsaSignatureDigestX962 = Self("algid:sign:ECDSA:digest-X962")
  /// ECDSA signature of a digest of any kind, as the concatenation of r and s (RFC 4754).
  public static let ecdsaSignatureRFC4754 = Self("algid:sign:ECDSA:RFC4754")

  // Not supported. Declared so that code compiles which checks for them: `SecKeyIsAlgorithmSupported` returns false.

  /// AES-GCM with a key that is encrypted by RSA with OAEP padding and SHA-1.
  public static let rsaEncryptionOAEPSHA1AESGCM = Self("algid:encrypt:RSA:OAEP:SHA1:AESGCM")
  /// AES-GCM with a key that is encrypted by RSA with OAEP padding and SHA-224.
  public static let rsaEncryptionOAEPSHA224AESGCM = Self("algid:encrypt:RSA:OAEP:SHA224:AESGCM")
  /// AES-GCM with a key that is encrypted by RSA with OAEP padding and SHA-256.
  public static let rsaEncryptionOAEPSHA256AESGCM = Self("algid:encrypt:RSA:OAEP:SHA256:AESGCM")
  /// AES-GCM with a key that is encrypted by RSA with OAEP padding and SHA-384.
  public static let rsaEncryptionOAEPSHA384AESGCM = Self("algid:encrypt:RSA:OAEP:SHA384:AESGCM")
  /// AES-GCM with a key that is encrypted by RSA with OAEP padding and SHA-512.
  public static let rsaEncryptionOAEPSHA512AESGCM = Self("algid:encrypt:RSA:OAEP:SHA512:AESGCM")
}
