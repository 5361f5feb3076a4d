public import Foundation

// The attributes of keys and certificates, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// The normalised subject of a certificate.
@safe nonisolated(unsafe) public let kSecAttrSubject: CFString = "subj"
/// The normalised issuer of a certificate.
@safe nonisolated(unsafe) public let kSecAttrIssuer: CFString = "issr"
/// The serial number of a certificate: data.
@safe nonisolated(unsafe) public let kSecAttrSerialNumber: CFString = "slnr"
/// The subject key identifier of a certificate.
@safe nonisolated(unsafe) public let kSecAttrSubjectKeyID: CFString = "skid"
/// The SHA-1 hash of the public key of a certificate.
@safe nonisolated(unsafe) public let kSecAttrPublicKeyHash: CFString = "pkhh"
/// The type of a certificate: a number.
@safe nonisolated(unsafe) public let kSecAttrCertificateType: CFString = "ctyp"
/// The encoding of a certificate: a number.
@safe nonisolated(unsafe) public let kSecAttrCertificateEncoding: CFString = "cenc"
/// The class of a key: one of the `kSecAttrKeyClass…` values.
@safe nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
/// A public key.
@safe nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"
/// A private key.
@safe nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"
/// A symmetric key.
@safe nonisolated(unsafe) public let kSecAttrKeyClassSymmetric: CFString = "2"
/// The type of a key: one of the `kSecAttrKeyType…` values.
@safe nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
/// RSA.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"
/// The older name of ``kSecAttrKeyTypeECSECPrimeRandom``.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeEC: CFString = "73"
/// A key on a NIST prime curve: P-256, P-384 or P-521.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// DSA.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeDSA: CFString = "43"
/// AES.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeAES: CFString = "2147483649"
/// DES.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeDES: CFString = "14"
/// Triple DES.
@safe nonisolated(unsafe) public let kSecAttrKeyType3DES: CFString = "17"
/// RC4.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeRC4: CFString = "25"
/// RC2.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeRC2: CFString = "23"
/// CAST.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeCAST: CFString = "56"
/// The name on macOS of ``kSecAttrKeyTypeECSECPrimeRandom``.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeECDSA: CFString = "73"
/// The SHA-1 hash of the public key, which links a private key to its certificate.
@safe nonisolated(unsafe) public let kSecAttrApplicationLabel: CFString = "klbl"
/// Data by which the app identifies the key.
@safe nonisolated(unsafe) public let kSecAttrApplicationTag: CFString = "atag"
/// Whether a new key is stored in the keychain: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrIsPermanent: CFString = "perm"
/// Whether the key can be exported only in encrypted form: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrIsSensitive: CFString = "sens"
/// Whether the key can be exported: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrIsExtractable: CFString = "extr"
/// The size in bits: a number.
@safe nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The effective size in bits: a number.
@safe nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// The creator of the key: a number.
@safe nonisolated(unsafe) public let kSecAttrKeyCreator: CFString = "crtr"
/// Whether the key is private: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrIsPrivate: CFString = "priv"
/// Whether the key can be modified: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrIsModifiable: CFString = "modi"
/// The date from which the key can be used.
@safe nonisolated(unsafe) public let kSecAttrStartDate: CFString = "sdat"
/// The date until which the key can be used.
@safe nonisolated(unsafe) public let kSecAttrEndDate: CFString = "edat"
/// Whether the key was always sensitive: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrWasAlwaysSensitive: CFString = "asen"
/// Whether the key was never extractable: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrWasNeverExtractable: CFString = "next"
/// Whether the key can encrypt: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanEncrypt: CFString = "encr"
/// Whether the key can decrypt: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanDecrypt: CFString = "decr"
/// Whether other keys can be derived from the key: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanDerive: CFString = "drve"
/// Whether the key can sign: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanSign: CFString = "sign"
/// Whether the key can verify signatures: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanVerify: CFString = "vrfy"
/// Whether the key can create signatures with message recovery: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanSignRecover: CFString = "snrc"
/// Whether the key can verify signatures with message recovery: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanVerifyRecover: CFString = "vyrc"
/// Whether the key can wrap other keys: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanWrap: CFString = "wrap"
/// Whether the key can unwrap other keys: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrCanUnwrap: CFString = "unwp"
/// The attributes of the private key only, in the dictionary for a new key pair.
@safe nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"
/// The attributes of the public key only, in the dictionary for a new key pair.
@safe nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"
/// The pseudo-random function of a key derivation.
@safe nonisolated(unsafe) public let kSecAttrPRF: CFString = "prf"
/// The salt of a key derivation.
@safe nonisolated(unsafe) public let kSecAttrSalt: CFString = "salt"
/// The number of rounds of a key derivation.
@safe nonisolated(unsafe) public let kSecAttrRounds: CFString = "rounds"
