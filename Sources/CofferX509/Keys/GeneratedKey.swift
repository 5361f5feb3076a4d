internal import CofferPlatform
internal import Crypto

/// A new private key on one of the curves that the Keychain supports.
package struct GeneratedKey: Sendable {
  /// Apple's external representation: the X9.63 point and the private scalar. The caller wipes it.
  package let externalRepresentation: [UInt8]
  /// The SHA-1 hash of the public key, by which the Keychain matches it with certificates.
  package let publicKeyHash: [UInt8]

  package init(on curve: KeyKind.Curve) {
    let (key, point) =
      switch curve {
      case .p256: Self.parts(P256.Signing.PrivateKey()) { ($0.x963Representation, $0.publicKey.x963Representation) }
      case .p384: Self.parts(P384.Signing.PrivateKey()) { ($0.x963Representation, $0.publicKey.x963Representation) }
      case .p521: Self.parts(P521.Signing.PrivateKey()) { ($0.x963Representation, $0.publicKey.x963Representation) }
      }
    externalRepresentation = key
    publicKeyHash = Array(Insecure.SHA1.hash(data: point))
  }

  private static func parts<Key>(_ key: Key, _ data: (Key) -> (Data, Data)) -> ([UInt8], [UInt8]) {
    let (key, point) = data(key)
    return (Array(key), Array(point))
  }
}
