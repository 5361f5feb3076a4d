internal import CofferOpenSSL
internal import Crypto
internal import Foundation

/// ECIES as on Apple's systems.
///
/// The message begins with the uncompressed point of an ephemeral key. X9.63 derives the key of AES-GCM from the secret that
/// it shares with the recipient's key, and from the point. The ciphertext and the tag follow. This is the order and these
/// are the sizes of Apple's `SecKeyAdaptors.m`.
struct EllipticCurveEncryption: Hashable, Sendable {
  private static let nonceByteCount = 16
  private static let tagByteCount = 16

  let hash: DigestAlgorithm
  /// True if the nonce is derived with the key; otherwise it is all zero, which is safe because no key is used twice.
  private let derivesNonce: Bool

  /// Creates the encryption of an algorithm; nil if the algorithm is another one. The variants with a cofactor are equal
  /// to those without: the cofactor of the supported curves is 1.
  init?(_ algorithm: SecKeyAlgorithm) {
    guard let encryption = Self.encryptions[algorithm] else { return nil }
    self = encryption
  }

  private init(_ hash: DigestAlgorithm, derivesNonce: Bool) {
    self.hash = hash
    self.derivesNonce = derivesNonce
  }

  private static let encryptions: [SecKeyAlgorithm: EllipticCurveEncryption] = [
    .eciesEncryptionStandardX963SHA1AESGCM: .init(.sha1, derivesNonce: false),
    .eciesEncryptionStandardX963SHA224AESGCM: .init(.sha224, derivesNonce: false),
    .eciesEncryptionStandardX963SHA256AESGCM: .init(.sha256, derivesNonce: false),
    .eciesEncryptionStandardX963SHA384AESGCM: .init(.sha384, derivesNonce: false),
    .eciesEncryptionStandardX963SHA512AESGCM: .init(.sha512, derivesNonce: false),
    .eciesEncryptionStandardVariableIVX963SHA224AESGCM: .init(.sha224, derivesNonce: true),
    .eciesEncryptionStandardVariableIVX963SHA256AESGCM: .init(.sha256, derivesNonce: true),
    .eciesEncryptionStandardVariableIVX963SHA384AESGCM: .init(.sha384, derivesNonce: true),
    .eciesEncryptionStandardVariableIVX963SHA512AESGCM: .init(.sha512, derivesNonce: true),
    .eciesEncryptionCofactorX963SHA1AESGCM: .init(.sha1, derivesNonce: false),
    .eciesEncryptionCofactorX963SHA224AESGCM: .init(.sha224, derivesNonce: false),
    .eciesEncryptionCofactorX963SHA256AESGCM: .init(.sha256, derivesNonce: false),
    .eciesEncryptionCofactorX963SHA384AESGCM: .init(.sha384, derivesNonce: false),
    .eciesEncryptionCofactorX963SHA512AESGCM: .init(.sha512, derivesNonce: false),
    .eciesEncryptionCofactorVariableIVX963SHA224AESGCM: .init(.sha224, derivesNonce: true),
    .eciesEncryptionCofactorVariableIVX963SHA256AESGCM: .init(.sha256, derivesNonce: true),
    .eciesEncryptionCofactorVariableIVX963SHA384AESGCM: .init(.sha384, derivesNonce: true),
    .eciesEncryptionCofactorVariableIVX963SHA512AESGCM: .init(.sha512, derivesNonce: true),
  ]

  /// Encrypts a plaintext for a key, with a new ephemeral key. Throws `errSecParam` for an RSA key.
  func encrypt(_ plaintext: Data, to key: PublicKey) throws(SecurityError) -> [UInt8] {
    let ephemeral = try PrivateKey(generating: key.type, sizeInBits: key.sizeInBits)
    let point = ephemeral.publicKey.externalRepresentation
    let (symmetricKey, nonce) = try derive(ephemeral, key, point: point)
    do {
      let box = try AES.GCM.seal(plaintext, using: symmetricKey, nonce: nonce)
      return [UInt8](point) + box.ciphertext + box.tag
    } catch {
      throw SecurityError(errSecInternalComponent, "the encryption failed")
    }
  }

  /// Decrypts a message. Throws `errSecParam` if it was not encrypted for the key with this algorithm, or was altered.
  func decrypt(_ message: Data, by key: PrivateKey) throws(SecurityError) -> [UInt8] {
    let refusal = SecurityError(errSecParam, "the data was not encrypted for this key with this algorithm")
    let point = message.prefix(key.publicKey.externalRepresentation.count)
    let rest = message.dropFirst(point.count)
    guard rest.count >= Self.tagByteCount, let ephemeral = try? PublicKey(Data(point), type: .ellipticCurve) else {
      throw refusal
    }
    let (symmetricKey, nonce) = try derive(key, ephemeral, point: Data(point))
    do {
      let box = try AES.GCM.SealedBox(
        nonce: nonce, ciphertext: rest.dropLast(Self.tagByteCount), tag: rest.suffix(Self.tagByteCount))
      return [UInt8](try AES.GCM.open(box, using: symmetricKey))
    } catch {
      throw refusal
    }
  }

  /// Derives the key and the nonce of a message from `own`, the ephemeral key or the key of the recipient, the public
  /// key of the other side, and `point`, the ephemeral public key. Throws `errSecParam` for keys on different curves.
  private func derive(
    _ own: PrivateKey, _ other: PublicKey, point: Data
  ) throws(SecurityError) -> (Crypto.SymmetricKey, AES.GCM.Nonce) {
    let keyByteCount = other.sizeInBits > 256 ? 32 : 16
    let derived = try own.sharedSecret(with: other).derivedKey(
      by: hash, sharedInfo: point, byteCount: keyByteCount + (derivesNonce ? Self.nonceByteCount : 0))
    do {
      return try unsafe derived.withUnsafeBytes { bytes in
        let nonce = derivesNonce ? unsafe Data(bytes.dropFirst(keyByteCount)) : Data(count: Self.nonceByteCount)
        return (unsafe Crypto.SymmetricKey(data: bytes.prefix(keyByteCount)), try AES.GCM.Nonce(data: nonce))
      }
    } catch {
      throw SecurityError(errSecInternalComponent, "the length of the nonce is not supported")
    }
  }
}
