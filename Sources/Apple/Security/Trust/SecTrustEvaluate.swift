public import Dispatch
public import Foundation
internal import Synchronization

/// A function that receives the evaluation, whether the certificate is trusted, and otherwise the error.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

/// Evaluates a certificate. OpenSSL builds and verifies the chain.
///
/// Nothing is loaded from the network: neither missing certificates nor their revocation. The result is kept until a
/// setting changes, and the anchors of the system, once they are read, until the process ends.
///
/// - Parameters:
///   - trust: The evaluation.
///   - error: Set to an error if the certificate is not trusted, otherwise to nil. Its code is that of the first failure:
///     `errSecNotTrusted` if no anchor has issued the chain, `errSecCertificateExpired`, `errSecCertificateNotValidYet`,
///     `errSecHostNameMismatch`, `errSecInvalidExtendedKeyUsage`, `errSecInvalidSignature` and others; its description
///     names the certificate. `errSecNotAvailable` if OpenSSL 3 is not installed; `errSecDecode` if it cannot read a
///     certificate.
/// - Returns: True if the certificate is trusted.
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
  let outcome = trust.outcome
  outcome.record()
  unsafe error?.pointee = outcome.failure?.cfError
  return outcome.failure == nil
}

/// Evaluates a certificate as ``SecTrustEvaluateWithError(_:_:)`` does, on a queue.
///
/// - Parameters:
///   - trust: The evaluation.
///   - queue: The queue on which the certificate is evaluated and `result` is called.
///   - result: Called with the result.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
  // Called once, on the queue that the caller has chosen for it.
  nonisolated(unsafe) let result = result
  queue.async {
    let failure = trust.outcome.failure
    unsafe result(trust, failure == nil, failure?.cfError)
  }
  return errSecSuccess
}

/// Evaluates a certificate: the older form of ``SecTrustEvaluateWithError(_:_:)``.
///
/// - Parameters:
///   - trust: The evaluation.
///   - result: Set to the result.
/// - Returns: `errSecSuccess` after each evaluation, whatever its result; the errors of
///   ``SecTrustEvaluateWithError(_:_:)`` that have another cause than the certificates.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  let outcome = trust.outcome
  unsafe result.pointee = outcome.result
  outcome.record()
  return outcome.result == .otherError ? outcome.failure?.status ?? errSecInternalComponent : errSecSuccess
}

/// Copies the result of the last evaluation.
///
/// - Parameters:
///   - trust: The evaluation.
///   - result: Set to the result; `invalid` if the certificate was not evaluated with the present settings.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetTrustResult(
  _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
  unsafe result.pointee = trust.evaluation.withLock { $0.outcome?.result } ?? .invalid
  return errSecSuccess
}

/// Returns the chain: the certificate, its issuer, and so on, as far as it could be built; with the anchor if the
/// certificate is trusted. Evaluates the certificate first. nil if that is not possible.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
  let outcome = trust.outcome
  if outcome.chain.isEmpty { outcome.record() }
  return outcome.chain.isEmpty ? nil : NSArray(array: outcome.chain)
}

/// Returns the number of certificates of the chain. Evaluates the certificate first; 0 if that is not possible.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.outcome.chain.count }

/// Returns a certificate of the chain by its position, 0 for the certificate itself; nil if there is none.
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
  let chain = trust.outcome.chain
  return chain.indices.contains(ix) ? chain[ix] : nil
}

/// Returns the public key of the certificate; nil if it is neither RSA nor on a supported curve.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
  trust.evaluation.withLock { $0.certificates[0] }.publicKey
}

/// Returns the public key of the certificate: the older form of ``SecTrustCopyKey(_:)``.
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }
