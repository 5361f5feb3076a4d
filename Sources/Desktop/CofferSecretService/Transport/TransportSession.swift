package import CofferCrypto
internal import Crypto
internal import CryptoExtras

/// How the secrets of a session travel over the bus.
package enum TransportSession: Sendable {
  /// As they are.
  case plain
  /// Under AES-128 with CBC and PKCS #7 padding.
  case encrypted(key: SecretBytes)

  package static let plainName = "plain"
  package static let encryptedName = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

  /// A secret as it travels.
  package struct Sealed: Equatable, Sendable {
    /// The initialisation vector; empty for a plain session.
    package let parameters: [UInt8]
    package let value: [UInt8]

    package init(parameters: [UInt8], value: [UInt8]) {
      self.parameters = parameters
      self.value = value
    }
  }

  /// Returns a secret as it is sent; nil if it cannot be encrypted.
  package func seal(_ secret: [UInt8]) -> Sealed? {
    guard case .encrypted(let key) = self else { return Sealed(parameters: [], value: secret) }
    let vector = Random.bytes(count: 16)
    guard let iv = try? AES._CBC.IV(ivBytes: vector),
      let sealed = try? AES._CBC.encrypt(secret, using: Self.symmetricKey(key), iv: iv)
    else { return nil }
    return Sealed(parameters: vector, value: [UInt8](sealed))
  }

  /// Returns a secret that has arrived; nil if it was not encrypted with the key of the session.
  package func open(_ sealed: Sealed) -> [UInt8]? {
    guard case .encrypted(let key) = self else { return sealed.value }
    guard sealed.parameters.count == 16, !sealed.value.isEmpty, sealed.value.count.isMultiple(of: 16),
      let iv = try? AES._CBC.IV(ivBytes: sealed.parameters),
      let secret = try? AES._CBC.decrypt(sealed.value, using: Self.symmetricKey(key), iv: iv)
    else { return nil }
    return [UInt8](secret)
  }

  private static func symmetricKey(_ key: SecretBytes) -> Crypto.SymmetricKey {
    unsafe key.withBytes { unsafe Crypto.SymmetricKey(data: $0) }
  }
}
