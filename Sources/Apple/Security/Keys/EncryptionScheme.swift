internal import CofferCrypto
internal import CofferOpenSSL
internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The scheme of an encryption algorithm.
enum EncryptionScheme: Sendable {
  case rsa(RSAOperation.Padding)
  case ellipticCurve(EllipticCurveEncryption)

  /// Creates the scheme of an algorithm; nil if the algorithm is not a supported encryption.
  init?(_ algorithm: SecKeyAlgorithm) {
    guard let scheme = Self.schemes[algorithm.name] else { return nil }
    self = scheme
  }

  /// The schemes by Apple's names of the algorithms.
  private static let schemes: [String: EncryptionScheme] = {
    var schemes: [String: EncryptionScheme] = [
      "algid:encrypt:RSA:raw": .rsa(.none), "algid:encrypt:RSA:PKCS1": .rsa(.pkcs1(nil)),
    ]
    for hash in DigestAlgorithm.allCases {
      schemes["algid:encrypt:RSA:OAEP:\(hash.name)"] = .rsa(.oaep(hash))
      // The variants with a cofactor are equal to those without: the cofactor of the supported curves is 1.
      for exchange in ["ECDH", "ECDHC"] {
        let name = "algid:encrypt:ECIES:\(exchange):KDFX963:\(hash.name):AESGCM"
        schemes[name] = .ellipticCurve(EllipticCurveEncryption(hash: hash, derivesNonce: false))
        // Apple has no such variant with SHA-1.
        guard hash != .sha1 else { continue }
        schemes[name + "-KDFIV"] = .ellipticCurve(EllipticCurveEncryption(hash: hash, derivesNonce: true))
      }
    }
    return schemes
  }()

  var needsOpenSSL: Bool {
    switch self {
    case .rsa(let padding): padding.cryptoPadding == nil
    case .ellipticCurve(let encryption): encryption.hash == .sha224
    }
  }

  func isSupported(by key: SecKey) -> Bool {
    switch (self, key.publicKey.type) {
    case (.rsa(.oaep(let hash)), .rsa): key.blockByteCount >= 2 * hash.rawValue + 2
    case (.rsa, .rsa), (.ellipticCurve, .ellipticCurve): true
    default: false
    }
  }

  /// Encrypts a plaintext for a key that supports the scheme. Throws `errSecParam` if the plaintext is too long.
  func encrypt(_ plaintext: Data, to key: PublicKey) throws(SecurityError) -> [UInt8] {
    switch (self, key) {
    case (.ellipticCurve(let encryption), _): return try encryption.encrypt(plaintext, to: key)
    case (.rsa(let padding), .rsa(let key)):
      guard let cryptoPadding = padding.cryptoPadding else {
        do throws(OpenSSLError) {
          return try key.encrypt([UInt8](plaintext), padding)
        } catch {
          throw SecurityError(error, orParam: "the plaintext does not fit the key and the padding")
        }
      }
      do {
        let encryption = try _RSA.Encryption.PublicKey(unsafeDERRepresentation: key.derRepresentation)
        guard plaintext.count <= encryption.maximumEncryptSize(with: cryptoPadding) else {
          throw SecurityError(errSecParam, "the plaintext is too long for the key and the padding")
        }
        return [UInt8](try encryption.encrypt(plaintext, padding: cryptoPadding))
      } catch {
        throw error as? SecurityError ?? SecurityError(errSecParam, "the encryption failed")
      }
    default: throw SecurityError(errSecParam, "the key does not support encryption with this algorithm")
    }
  }

  /// Decrypts a ciphertext with a key that supports the scheme. The caller wipes the plaintext. Throws `errSecParam`,
  /// the same for every cause, because a difference would be a padding oracle.
  func decrypt(_ ciphertext: Data, by key: PrivateKey) throws(SecurityError) -> [UInt8] {
    let refusal = "the data was not encrypted for this key with this algorithm"
    switch (self, key) {
    case (.ellipticCurve(let encryption), _): return try encryption.decrypt(ciphertext, by: key)
    case (.rsa(let padding), .rsa(let key)):
      guard let cryptoPadding = padding.cryptoPadding else {
        do throws(OpenSSLError) {
          return try key.decrypt([UInt8](ciphertext), padding)
        } catch {
          throw SecurityError(error, orParam: refusal)
        }
      }
      do {
        let decryption = try _RSA.Encryption.PrivateKey(unsafeDERRepresentation: key.derRepresentation)
        return [UInt8](try decryption.decrypt(ciphertext, padding: cryptoPadding))
      } catch {
        throw SecurityError(errSecParam, refusal)
      }
    default: throw SecurityError(errSecParam, "the key does not support decryption with this algorithm")
    }
  }
}

extension RSAOperation.Padding {
  /// The padding of swift-crypto; nil for those that it lacks.
  fileprivate var cryptoPadding: _RSA.Encryption.Padding? {
    switch self {
    case .pkcs1: ._WEAK_AND_INSECURE_PKCS_V1_5
    case .oaep(.sha1): .PKCS1_OAEP
    case .oaep(.sha256): .PKCS1_OAEP_SHA256
    default: nil
    }
  }
}

/// ECIES as on Apple's systems.
///
/// The message begins with the uncompressed point of an ephemeral key. X9.63 derives the key of AES-GCM from the secret
/// that it shares with the recipient's key, and from the point. The ciphertext and the tag follow. This is the order
/// and these are the sizes of Apple's `SecKeyAdaptors.m`.
struct EllipticCurveEncryption: Hashable, Sendable {
  private static let nonceByteCount = 16
  private static let tagByteCount = 16

  let hash: DigestAlgorithm
  /// True if the nonce is derived with the key; otherwise it is all zero, which is safe because no key is used twice.
  let derivesNonce: Bool

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
