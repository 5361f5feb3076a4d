internal import CofferCrypto
internal import Crypto
public import Foundation

/// A key of the parameters of ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)``, under Apple's name for it.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, Sendable {
  private let name: String

  /// Apple's name.
  public var rawValue: CFString { NSString(string: name) }

  /// Takes Apple's name.
  public init(rawValue: CFString) { name = String(rawValue) }

  private init(_ name: String) { self.name = name }

  /// How many bytes the derived key is to have, a number.
  public static let requestedSize = SecKeyKeyExchangeParameter("requestedSize")
  /// What else goes into the derivation, as data.
  public static let sharedInfo = SecKeyKeyExchangeParameter("sharedInfo")
}

/// Agrees on a secret with the owner of another key on the same curve.
///
/// - Parameters:
///   - privateKey: One's own key, on P-256, P-384 or P-521.
///   - parameters: For the algorithms that derive a key (X9.63): `requestedSize`, 1 to 1024, and `sharedInfo` if there is any.
///   - error: Where to leave the error, `errSecParam`, which the caller owns.
/// - Returns: The derived key; without a derivation the shared point's first coordinate.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
  _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  do throws(SecurityError) {
    guard let exchange = KeyExchange(algorithm) else {
      throw SecurityError(errSecParam, "the key does not exchange keys by this algorithm")
    }
    var bytes = try exchange.result(of: privateKey, with: publicKey, KeyExchange.Parameters(parameters))
    defer { bytes.wipe() }
    return OwnedData(bytes)
  } catch let failure {
    unsafe failure.report(to: error)
    return nil
  }
}

/// What an algorithm's name means for the exchange of keys. The cofactor of these curves is 1: with and without it is the same.
struct KeyExchange: Sendable {
  private let derivation: SignatureScheme.Hash?

  /// Nil where this module cannot do it.
  init?(_ algorithm: SecKeyAlgorithm) {
    switch algorithm {
    case .ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactor: derivation = nil
    case .ecdhKeyExchangeStandardX963SHA1, .ecdhKeyExchangeCofactorX963SHA1: derivation = .sha1
    case .ecdhKeyExchangeStandardX963SHA256, .ecdhKeyExchangeCofactorX963SHA256: derivation = .sha256
    case .ecdhKeyExchangeStandardX963SHA384, .ecdhKeyExchangeCofactorX963SHA384: derivation = .sha384
    case .ecdhKeyExchangeStandardX963SHA512, .ecdhKeyExchangeCofactorX963SHA512: derivation = .sha512
    default: return nil
    }
  }

  /// What a derivation needs to know.
  struct Parameters {
    private static let sizes = 1...1024

    let size: Int?
    let sharedInfo: Data

    init(_ dictionary: CFDictionary) throws(SecurityError) {
      switch dictionary.object(forKey: SecKeyKeyExchangeParameter.requestedSize.rawValue).map(PropertyValue.init) {
      case nil: size = nil
      case .number(let number?) where Self.sizes.contains(Int(number)): size = Int(number)
      default: throw SecurityError(errSecParam, "the requested size is no number from 1 to 1024")
      }
      switch dictionary.object(forKey: SecKeyKeyExchangeParameter.sharedInfo.rawValue).map(PropertyValue.init) {
      case nil: sharedInfo = Data()
      case .data(let data): sharedInfo = data
      default: throw SecurityError(errSecParam, "the shared info is no data")
      }
    }
  }

  func result(
    of own: SecKey, with other: SecKey, _ parameters: Parameters
  ) throws(SecurityError) -> [UInt8] {
    guard case .private(let privateKey) = own.material else {
      throw SecurityError(errSecParam, "the exchange takes a private key of one's own")
    }
    let secret: SharedSecret
    do {
      switch (privateKey, other.publicKey) {
      case (.p256(let own), .p256(let other)):
        secret = try P256.KeyAgreement.PrivateKey(rawRepresentation: own.rawRepresentation)
          .sharedSecretFromKeyAgreement(with: .init(x963Representation: other.x963Representation))
      case (.p384(let own), .p384(let other)):
        secret = try P384.KeyAgreement.PrivateKey(rawRepresentation: own.rawRepresentation)
          .sharedSecretFromKeyAgreement(with: .init(x963Representation: other.x963Representation))
      case (.p521(let own), .p521(let other)):
        secret = try P521.KeyAgreement.PrivateKey(rawRepresentation: own.rawRepresentation)
          .sharedSecretFromKeyAgreement(with: .init(x963Representation: other.x963Representation))
      default: throw SecurityError(errSecParam, "the keys are not on one curve")
      }
    } catch {
      throw error as? SecurityError ?? SecurityError(errSecParam, "the keys have no secret in common")
    }
    guard let derivation else { return unsafe secret.withUnsafeBytes { unsafe Array($0) } }
    guard let size = parameters.size else {
      throw SecurityError(errSecParam, "a derivation needs the requested size")
    }
    let key =
      switch derivation {
      case .sha1: secret.derived(Insecure.SHA1.self, parameters.sharedInfo, size)
      case .sha256: secret.derived(SHA256.self, parameters.sharedInfo, size)
      case .sha384: secret.derived(SHA384.self, parameters.sharedInfo, size)
      case .sha512: secret.derived(SHA512.self, parameters.sharedInfo, size)
      }
    return unsafe key.withUnsafeBytes { unsafe Array($0) }
  }
}

extension SharedSecret {
  fileprivate func derived<Function: HashFunction>(
    _ function: Function.Type, _ sharedInfo: Data, _ size: Int
  ) -> Crypto.SymmetricKey {
    x963DerivedSymmetricKey(using: function, sharedInfo: sharedInfo, outputByteCount: size)
  }
}
