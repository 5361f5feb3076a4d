internal import CofferOpenSSL
internal import Crypto
internal import Foundation

/// A Diffie-Hellman key exchange, with or without a key derivation. The variants with a cofactor are equal to those
/// without: the cofactor of the supported curves is 1.
struct KeyExchange: Sendable {
  /// The hash function of the key derivation; nil for none.
  private let derivation: DigestAlgorithm?

  /// Creates the exchange of an algorithm; nil if the algorithm is not a key exchange.
  init?(_ algorithm: SecKeyAlgorithm) {
    switch algorithm {
    case .ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactor: derivation = nil
    case .ecdhKeyExchangeStandardX963SHA1, .ecdhKeyExchangeCofactorX963SHA1: derivation = .sha1
    case .ecdhKeyExchangeStandardX963SHA224, .ecdhKeyExchangeCofactorX963SHA224: derivation = .sha224
    case .ecdhKeyExchangeStandardX963SHA256, .ecdhKeyExchangeCofactorX963SHA256: derivation = .sha256
    case .ecdhKeyExchangeStandardX963SHA384, .ecdhKeyExchangeCofactorX963SHA384: derivation = .sha384
    case .ecdhKeyExchangeStandardX963SHA512, .ecdhKeyExchangeCofactorX963SHA512: derivation = .sha512
    default: return nil
    }
  }

  var needsOpenSSL: Bool { derivation == .sha224 }

  /// The parameters of a key derivation.
  struct Parameters {
    private static let sizes = 1...1024

    /// The length of the derived key, in bytes.
    let size: Int?
    let sharedInfo: Data

    init(_ dictionary: CFDictionary) throws(SecurityError) {
      switch dictionary.object(forKey: SecKeyKeyExchangeParameter.requestedSize.rawValue).map(PropertyValue.init) {
      case nil: size = nil
      case .number(let number?) where Self.sizes.contains(Int(number)): size = Int(number)
      default: throw SecurityError(errSecParam, "the requested size is not a number from 1 to 1024")
      }
      switch dictionary.object(forKey: SecKeyKeyExchangeParameter.sharedInfo.rawValue).map(PropertyValue.init) {
      case nil: sharedInfo = Data()
      case .data(let data): sharedInfo = data
      default: throw SecurityError(errSecParam, "the shared info is not data")
      }
    }
  }

  /// Returns the derived key; without a derivation, the x coordinate of the shared point.
  func secret(
    of own: SecKey, with other: SecKey, _ parameters: Parameters
  ) throws(SecurityError) -> [UInt8] {
    guard case .private(let privateKey) = own.material else {
      throw SecurityError(errSecParam, "a key exchange requires a private key")
    }
    let secret = try privateKey.sharedSecret(with: other.publicKey)
    guard let derivation else { return unsafe secret.withUnsafeBytes { unsafe Array($0) } }
    guard let size = parameters.size else {
      throw SecurityError(errSecParam, "a key derivation requires the requested size")
    }
    let key = try secret.derivedKey(by: derivation, sharedInfo: parameters.sharedInfo, byteCount: size)
    return unsafe key.withUnsafeBytes { unsafe Array($0) }
  }
}
