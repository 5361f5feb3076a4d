internal import CofferCrypto
internal import CofferOpenSSL
internal import Crypto
public import Foundation

/// Performs a Diffie-Hellman key exchange with the public key of another party.
///
/// - Parameters:
///   - privateKey: The caller's private key, on P-256, P-384 or P-521.
///   - algorithm: The algorithm, with or without a key derivation (X9.63).
///   - publicKey: The other party's key, on the same curve.
///   - parameters: For a key derivation, `requestedSize`, 1 to 1024, and optionally `sharedInfo`.
///   - error: Set to an error that the caller must release, `errSecParam`, if the result is nil.
/// - Returns: The derived key; without a derivation, the x coordinate of the shared point. Nil if the key does not
///   support the algorithm, the keys are on different curves, or the parameters are invalid.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
  _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    guard let exchange = KeyExchange(algorithm) else {
      throw SecurityError(errSecParam, "the algorithm is not a supported key exchange")
    }
    var bytes = try exchange.secret(of: privateKey, with: publicKey, KeyExchange.Parameters(parameters))
    defer { bytes.wipe() }
    return OwnedData(bytes)
  }
}

/// A dictionary key of the parameters of ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)``.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, Sendable {
  private let name: String

  /// Apple's name.
  public var rawValue: CFString { NSString(string: name) }

  /// Creates a dictionary key from Apple's name.
  public init(rawValue: CFString) { name = String(rawValue) }

  private init(_ name: String) { self.name = name }

  /// The length of the derived key in bytes: a number.
  public static let requestedSize = SecKeyKeyExchangeParameter("requestedSize")
  /// The shared information that is included in the derivation: data.
  public static let sharedInfo = SecKeyKeyExchangeParameter("sharedInfo")
}

/// A Diffie-Hellman key exchange, with or without a key derivation. The variants with a cofactor are equal to those
/// without: the cofactor of the supported curves is 1.
struct KeyExchange: Sendable {
  /// The hash function of the key derivation; nil for none.
  private let derivation: DigestAlgorithm?

  /// Creates the exchange of an algorithm; nil if the algorithm is not a key exchange.
  init?(_ algorithm: SecKeyAlgorithm) {
    let derivations: [DigestAlgorithm?] = [nil] + DigestAlgorithm.allCases
    let known = derivations.first { derivation in
      let suffix = derivation.map { ":KDFX963:\($0.name)" } ?? ""
      return ["ECDH", "ECDHC"].contains { algorithm.name == "algid:keyexchange:\($0)\(suffix)" }
    }
    guard let known else { return nil }
    derivation = known
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
