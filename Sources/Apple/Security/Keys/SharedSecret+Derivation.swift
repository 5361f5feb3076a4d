internal import CofferCrypto
internal import CofferOpenSSL
internal import Crypto
internal import Foundation

extension PrivateKey {
  /// Returns the secret that the key shares with a public key on the same curve. Throws `errSecParam` for other keys.
  func sharedSecret(with other: PublicKey) throws(SecurityError) -> SharedSecret {
    do {
      switch (self, other) {
      case (.p256(let own), .p256(let other)):
        return try P256.KeyAgreement.PrivateKey(rawRepresentation: own.rawRepresentation)
          .sharedSecretFromKeyAgreement(with: .init(x963Representation: other.x963Representation))
      case (.p384(let own), .p384(let other)):
        return try P384.KeyAgreement.PrivateKey(rawRepresentation: own.rawRepresentation)
          .sharedSecretFromKeyAgreement(with: .init(x963Representation: other.x963Representation))
      case (.p521(let own), .p521(let other)):
        return try P521.KeyAgreement.PrivateKey(rawRepresentation: own.rawRepresentation)
          .sharedSecretFromKeyAgreement(with: .init(x963Representation: other.x963Representation))
      default: throw SecurityError(errSecParam, "the keys are not on the same curve")
      }
    } catch {
      throw error as? SecurityError ?? SecurityError(errSecParam, "the key exchange failed")
    }
  }
}

extension SharedSecret {
  /// Derives a key (ANSI X9.63).
  func derivedKey(
    by hash: DigestAlgorithm, sharedInfo: Data, byteCount: Int
  ) throws(SecurityError) -> Crypto.SymmetricKey {
    switch hash {
    case .sha1: derived(Insecure.SHA1.self, sharedInfo, byteCount)
    case .sha224: try derivedWithOpenSSL(by: hash, sharedInfo, byteCount)
    case .sha256: derived(SHA256.self, sharedInfo, byteCount)
    case .sha384: derived(SHA384.self, sharedInfo, byteCount)
    case .sha512: derived(SHA512.self, sharedInfo, byteCount)
    }
  }

  private func derived<Function: HashFunction>(
    _ function: Function.Type, _ sharedInfo: Data, _ byteCount: Int
  ) -> Crypto.SymmetricKey {
    x963DerivedSymmetricKey(using: function, sharedInfo: sharedInfo, outputByteCount: byteCount)
  }

  private func derivedWithOpenSSL(
    by hash: DigestAlgorithm, _ sharedInfo: Data, _ byteCount: Int
  ) throws(SecurityError) -> Crypto.SymmetricKey {
    var secret = unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    defer { secret.wipe() }
    do throws(OpenSSLError) {
      var key = try hash.derivedKey(from: secret, sharedInfo: [UInt8](sharedInfo), count: byteCount)
      defer { key.wipe() }
      return Crypto.SymmetricKey(data: key)
    } catch {
      throw SecurityError(error, reading: "shared secret")
    }
  }
}
