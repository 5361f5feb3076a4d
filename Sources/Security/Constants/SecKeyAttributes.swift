public import Foundation

// The attributes of keys and certificates: SecItem.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// A certificate's subject, normalised.
@safe nonisolated(unsafe) public let kSecAttrSubject: CFString = "subj"
/// A certificate's issuer, normalised.
@safe nonisolated(unsafe) public let kSecAttrIssuer: CFString = "issr"
/// A certificate's serial number, as bytes.
@safe nonisolated(unsafe) public let kSecAttrSerialNumber: CFString = "slnr"
/// A certificate's subject key identifier.
@safe nonisolated(unsafe) public let kSecAttrSubjectKeyID: CFString = "skid"
/// SHA-1 of a certificate's public key.
@safe nonisolated(unsafe) public let kSecAttrPublicKeyHash: CFString = "pkhh"
/// A certificate's type, a number.
@safe nonisolated(unsafe) public let kSecAttrCertificateType: CFString = "ctyp"
/// A certificate's encoding, a number.
@safe nonisolated(unsafe) public let kSecAttrCertificateEncoding: CFString = "cenc"
/// Public, private or symmetric: one of the `kSecAttrKeyClass…` values.
@safe nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
/// A public key.
@safe nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"
/// A private key.
@safe nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"
/// A symmetric key.
@safe nonisolated(unsafe) public let kSecAttrKeyClassSymmetric: CFString = "2"
/// The algorithm: one of the `kSecAttrKeyType…` values.
@safe nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
/// RSA.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"
/// A key on a NIST prime curve, by an older name.
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
/// A key on a NIST prime curve, by its name on macOS.
@safe nonisolated(unsafe) public let kSecAttrKeyTypeECDSA: CFString = "73"
/// SHA-1 of the public key, which a private key shares with its certificate.
@safe nonisolated(unsafe) public let kSecAttrApplicationLabel: CFString = "klbl"
/// Any bytes by which the app knows its key.
@safe nonisolated(unsafe) public let kSecAttrApplicationTag: CFString = "atag"
/// Whether a key is stored when it is made: a truth value.
@safe nonisolated(unsafe) public let kSecAttrIsPermanent: CFString = "perm"
/// Whether the key may leave the keychain only encrypted: a truth value.
@safe nonisolated(unsafe) public let kSecAttrIsSensitive: CFString = "sens"
/// Whether the key may leave the keychain: a truth value.
@safe nonisolated(unsafe) public let kSecAttrIsExtractable: CFString = "extr"
/// The size in bits, a number.
@safe nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// How many of the bits count, a number.
@safe nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// A number that names who made the key.
@safe nonisolated(unsafe) public let kSecAttrKeyCreator: CFString = "crtr"
/// Whether the key's values are secret: a truth value.
@safe nonisolated(unsafe) public let kSecAttrIsPrivate: CFString = "priv"
/// Whether the key's values may change: a truth value.
@safe nonisolated(unsafe) public let kSecAttrIsModifiable: CFString = "modi"
/// From when the key may be used.
@safe nonisolated(unsafe) public let kSecAttrStartDate: CFString = "sdat"
/// Until when the key may be used.
@safe nonisolated(unsafe) public let kSecAttrEndDate: CFString = "edat"
/// Whether the key never left the keychain unencrypted: a truth value.
@safe nonisolated(unsafe) public let kSecAttrWasAlwaysSensitive: CFString = "asen"
/// Whether the key never could leave the keychain: a truth value.
@safe nonisolated(unsafe) public let kSecAttrWasNeverExtractable: CFString = "next"
/// Whether the key may encrypt: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanEncrypt: CFString = "encr"
/// Whether the key may decrypt: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanDecrypt: CFString = "decr"
/// Whether other keys may be derived from the key: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanDerive: CFString = "drve"
/// Whether the key may sign: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanSign: CFString = "sign"
/// Whether the key may verify signatures: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanVerify: CFString = "vrfy"
/// Whether the key may sign so that the message can be had back: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanSignRecover: CFString = "snrc"
/// Whether the key may verify such signatures: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanVerifyRecover: CFString = "vyrc"
/// Whether the key may encrypt other keys: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanWrap: CFString = "wrap"
/// Whether the key may decrypt other keys: a truth value.
@safe nonisolated(unsafe) public let kSecAttrCanUnwrap: CFString = "unwp"
/// Attributes of the private key alone, in a dictionary for a new key pair.
@safe nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"
/// Attributes of the public key alone, in a dictionary for a new key pair.
@safe nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"
/// The pseudo-random function of a key derivation.
@safe nonisolated(unsafe) public let kSecAttrPRF: CFString = "prf"
/// The salt of a key derivation.
@safe nonisolated(unsafe) public let kSecAttrSalt: CFString = "salt"
/// The rounds of a key derivation.
@safe nonisolated(unsafe) public let kSecAttrRounds: CFString = "rounds"
