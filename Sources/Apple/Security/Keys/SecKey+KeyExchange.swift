internal import CofferCrypto
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
