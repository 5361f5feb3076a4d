internal import CofferCrypto
internal import CofferOpenSSL
internal import Crypto
internal import CryptoExtras
internal import Foundation

extension PrivateKey {
  /// Creates a key that was read from a PKCS #12 file; nil if its type or size is not supported.
  init?(_ material: PKCS12Contents.KeyMaterial) {
    do {
      switch material {
      case .p256(let scalar):
        self = .p256(try unsafe scalar.withBytes { unsafe try P256.Signing.PrivateKey(rawRepresentation: $0) })
      case .p384(let scalar):
        self = .p384(try unsafe scalar.withBytes { unsafe try P384.Signing.PrivateKey(rawRepresentation: $0) })
      case .p521(let scalar):
        self = .p521(try unsafe scalar.withBytes { unsafe try P521.Signing.PrivateKey(rawRepresentation: $0) })
      case .rsa(let der):
        guard der.count <= RSALimits.maximumByteCount else { return nil }
        let key = try unsafe der.withBytes { unsafe try _RSA.Signing.PrivateKey(unsafeDERRepresentation: $0) }
        try RSALimits.check(bitCount: key.keySizeInBits)
        self = .rsa(key)
      case .other: return nil
      }
    } catch {
      return nil
    }
  }
}
