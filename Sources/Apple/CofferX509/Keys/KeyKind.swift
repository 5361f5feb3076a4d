internal import SwiftASN1

/// The kind and size of a key, as far as the Keychain distinguishes them.
package enum KeyKind: Sendable, Hashable {
  /// An RSA key with a modulus of `bits` bits.
  case rsa(bits: Int)
  /// A key on one of the curves that the Keychain supports.
  case ec(Curve)
  /// Any other key.
  case other

  /// A NIST elliptic curve.
  package enum Curve: Int, CaseIterable, Sendable, Hashable {
    case p256 = 256
    case p384 = 384
    case p521 = 521

    /// The size of the curve's field, which the Keychain uses as the size of the key.
    package var bits: Int { rawValue }

    /// The size of an uncompressed X9.63 point: the byte 4 and two coordinates.
    var pointByteCount: Int { 1 + 2 * ((bits + 7) / 8) }
  }

  init(_ algorithm: AlgorithmIdentifier, keyBits: [UInt8]) {
    self = .other
    switch algorithm.algorithm {
    case KnownIdentifiers.rsaEncryption:
      // An invalid key must not make the rest of the certificate unreadable.
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
  init?(identifier: [UInt8]) {
    switch identifier {
    case KnownIdentifiers.p256: self = .p256
    case KnownIdentifiers.p384: self = .p384
    case KnownIdentifiers.p521: self = .p521
    default: return nil
    }
  }
}
