internal import Crypto
public import Foundation

/// A public or private key: RSA, or on a NIST prime curve.
public final class SecKey: NSObject, Sendable {
  /// The two halves; a private key knows its public one.
  enum Material: Sendable {
    case `public`(PublicKey)
    case `private`(PrivateKey)
  }

  let material: Material
  /// The key itself, or the private key's other half.
  let publicKey: PublicKey
  /// SHA-1 of the public key's external representation: what a private key shares with its public one and with its
  /// certificate.
  let applicationLabel: Data

  init(_ material: Material) {
    self.material = material
    publicKey =
      switch material {
      case .public(let key): key
      case .private(let key): key.publicKey
      }
    applicationLabel = Data(Insecure.SHA1.hash(data: publicKey.externalRepresentation))
  }

  /// Reads a key of Apple's external format.
  convenience init(_ data: Data, type: KeyType, keyClass: KeyClass) throws(SecurityError) {
    switch keyClass {
    case .public: self.init(.public(try PublicKey(data, type: type)))
    case .private: self.init(.private(try PrivateKey(data, type: type)))
    }
  }

  var keyClass: KeyClass {
    switch material {
    case .public: .public
    case .private: .private
    }
  }

  /// Apple's external format.
  var externalRepresentation: Data {
    switch material {
    case .public(let key): key.externalRepresentation
    case .private(let key): key.externalRepresentation
    }
  }

  /// How many bytes a modulus or a coordinate has.
  var blockByteCount: Int { (publicKey.sizeInBits + 7) / 8 }

  /// True for the same half of the same key pair.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? SecKey else { return false }
    return keyClass == other.keyClass && publicKey.externalRepresentation == other.publicKey.externalRepresentation
  }

  /// A hash of the public half.
  public override var hash: Int { applicationLabel.hashValue }

  /// Class, type and size; nothing of a private key.
  public override var description: String {
    "<SecKey: \(keyClass), \(publicKey.type), \(publicKey.sizeInBits) bits>"
  }
}

/// The number of the class of keys.
@discardableResult
public func SecKeyGetTypeID() -> CFTypeID { CFClass.key.rawValue }

/// How many bytes a modulus (RSA) or a coordinate (EC) has.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { key.blockByteCount }

/// The public half of a key; a public key itself.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { SecKey(.public(key.publicKey)) }
