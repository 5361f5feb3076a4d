internal import SwiftASN1

/// The kind and size of a key, as far as the Keychain tells them apart.
package enum KeyKind: Sendable, Hashable {
  /// An RSA key with a modulus of so many bits.
  case rsa(bits: Int)
  /// A key on one of the curves that the Keychain supports.
  case ec(Curve)
  /// Any other key.
  case other

  /// An elliptic curve of NIST's.
  package enum Curve: Int, CaseIterable, Sendable, Hashable {
    case p256 = 256
    case p384 = 384
    case p521 = 521

    /// The size of the curve's field, which is what the Keychain calls the size of the key.
    package var bits: Int { rawValue }

    /// An X9.63 point that is not compressed: 4, and two coordinates.
    var pointByteCount: Int { 1 + 2 * ((bits + 7) / 8) }
  }

  init(_ algorithm: AlgorithmIdentifier, keyBits: [UInt8]) {
    self = .other
    switch algorithm.algorithm {
    case KnownIdentifiers.rsaEncryption:
      // A broken key must not hide the rest of the certificate.
      do {
        self = .rsa(bits: try RSAKey(publicKey: keyBits).sizeInBits)
      } catch {}
    case KnownIdentifiers.ecPublicKey:
      guard case .primitive(let bytes)? = algorithm.parameters?.content,
        algorithm.parameters?.identifier == .objectIdentifier,
        let curve = Curve(identifier: Array(bytes)), keyBits.count == curve.pointByteCount, keyBits.first == 4
      else { return }
      self = .ec(curve)
    default: break
    }
  }
}

extension KeyKind.Curve {
  fileprivate init?(identifier: [UInt8]) {
    switch identifier {
    case KnownIdentifiers.p256: self = .p256
    case KnownIdentifiers.p384: self = .p384
    case KnownIdentifiers.p521: self = .p521
    default: return nil
    }
  }
}
