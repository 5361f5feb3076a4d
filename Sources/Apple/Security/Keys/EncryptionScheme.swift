internal import CofferCrypto
internal import CofferOpenSSL
internal import CryptoExtras
internal import Foundation

/// The scheme of an encryption algorithm.
enum EncryptionScheme: Sendable {
  case rsa(RSAOperation.Padding)
  case ellipticCurve(EllipticCurveEncryption)

  /// Creates the scheme of an algorithm; nil if the algorithm is not a supported encryption.
  init?(_ algorithm: SecKeyAlgorithm) {
    switch algorithm {
    case .rsaEncryptionRaw: self = .rsa(.none)
    case .rsaEncryptionPKCS1: self = .rsa(.pkcs1(nil))
    case .rsaEncryptionOAEPSHA1: self = .rsa(.oaep(.sha1))
    case .rsaEncryptionOAEPSHA224: self = .rsa(.oaep(.sha224))
    case .rsaEncryptionOAEPSHA256: self = .rsa(.oaep(.sha256))
    case .rsaEncryptionOAEPSHA384: self = .rsa(.oaep(.sha384))
    case .rsaEncryptionOAEPSHA512: self = .rsa(.oaep(.sha512))
    default:
      guard let encryption = EllipticCurveEncryption(algorithm) else { return nil }
      self = .ellipticCurve(encryption)
    }
  }

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
