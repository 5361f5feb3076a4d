public import Dispatch
public import Foundation
internal import Synchronization

/// The evaluation of a certificate: the certificates of its chain, policies, anchors and a date.
public final class SecTrust: NSObject, Sendable {
  let evaluation: Mutex<CertificateEvaluation>

  init(_ certificates: [SecCertificate], _ policies: [SecPolicy]) {
    evaluation = Mutex(CertificateEvaluation(certificates: certificates, policies: policies))
  }

  /// The result of the evaluation, which is computed if it is not known.
  var outcome: CertificateEvaluation.Outcome { evaluation.withLock { $0.evaluate() } }

  /// A description with the certificate.
  public override var description: String {
    "<SecTrust: \(evaluation.withLock { $0.certificates[0].description })>"
  }
}

/// Returns the type identifier of ``SecTrust``.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID { CFClass.trust.rawValue }

/// Creates the evaluation of a certificate.
///
/// - Parameters:
///   - certificates: The ``SecCertificate`` to evaluate, or an array with it first, followed by others that its chain
///     may contain in any order. Anchors need not be among them.
///   - policies: A ``SecPolicy`` or an array of policies, all of which must be satisfied; nil for
///     ``SecPolicyCreateBasicX509()``.
///   - trust: Set to the evaluation; unchanged if the call fails.
/// - Returns: `errSecSuccess`; `errSecParam` for other objects, or no certificate.
@discardableResult
public func SecTrustCreateWithCertificates(
  _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  status { () throws(SecurityError) in
    let certificates = try elements(certificates, as: SecCertificate.self)
    guard !certificates.isEmpty else { throw SecurityError(errSecParam, "there is no certificate to evaluate") }
    unsafe trust.pointee = SecTrust(certificates, try policyList(policies))
  }
}

/// Replaces the policies: a ``SecPolicy`` or an array of policies. Returns `errSecSuccess`, or `errSecParam` for other
/// objects.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
  status { () throws(SecurityError) in
    let policies = try policyList(policies)
    trust.evaluation.withLock { $0.policies = policies }
  }
}

/// Copies the policies.
///
/// - Parameters:
///   - trust: The evaluation.
///   - policies: Set to an array of ``SecPolicy``.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
  unsafe policies.pointee = NSArray(array: trust.evaluation.withLock { $0.policies })
  return errSecSuccess
}

/// Sets the certificates that are trusted.
///
/// - Parameters:
///   - trust: The evaluation.
///   - anchorCertificates: An array of ``SecCertificate``, which need not be roots: only these are trusted until
///     ``SecTrustSetAnchorCertificatesOnly(_:_:)`` is called with false. An empty array trusts nothing. nil restores
///     the system's anchors.
/// - Returns: `errSecSuccess`; `errSecParam` for other objects.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
  status { () throws(SecurityError) in
    var anchors: [SecCertificate]?
    if let anchorCertificates { anchors = try elements(anchorCertificates, as: SecCertificate.self) }
    trust.evaluation.withLock { [anchors] in
      $0.anchors = anchors
      $0.usesSystemAnchors = anchors == nil
    }
  }
}

/// Sets whether the anchors of ``SecTrustSetAnchorCertificates(_:_:)`` are the only ones, or extend those of the
/// system. Returns `errSecSuccess`.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
  trust.evaluation.withLock { $0.usesSystemAnchors = !anchorCertificatesOnly }
  return errSecSuccess
}

/// Copies the anchors that were set.
///
/// - Parameters:
///   - trust: The evaluation.
///   - anchors: Set to an array of ``SecCertificate``; nil if none were set.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
  _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  unsafe anchors.pointee = trust.evaluation.withLock { $0.anchors }.map { NSArray(array: $0) }
  return errSecSuccess
}

/// Sets the date at which the chain must be valid. Without a call, it is that of the evaluation. Returns
/// `errSecSuccess`.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
  let date = Date(timeIntervalSinceReferenceDate: verifyDate.timeIntervalSinceReferenceDate)
  trust.evaluation.withLock { $0.date = date }
  return errSecSuccess
}

/// Returns the policies of an argument: an object or an array of objects; one for any use if it is nil or empty.
private func policyList(_ argument: CFTypeRef?) throws(SecurityError) -> [SecPolicy] {
  guard let argument else { return [SecPolicyCreateBasicX509()] }
  let policies = try elements(argument, as: SecPolicy.self)
  return policies.isEmpty ? [SecPolicyCreateBasicX509()] : policies
}

/// Returns the objects of an argument: an object or an array of objects.
private func elements<Element>(_ argument: CFTypeRef, as type: Element.Type) throws(SecurityError) -> [Element] {
  if let element = argument as? Element { return [element] }
  guard let elements = argument as? [Element] else {
    throw SecurityError(errSecParam, "the argument is neither a \(type) nor an array of \(type)")
  }
  return elements
}

/// A function that receives the evaluation, whether the certificate is trusted, and otherwise the error.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

/// Evaluates a certificate. OpenSSL builds and verifies the chain.
///
/// Nothing is loaded from the network: neither missing certificates nor their revocation. The result is kept until a
/// setting changes, and the anchors of the system, once they are read, until the process ends.
///
/// - Parameters:
///   - trust: The evaluation.
///   - error: Set to an error if the certificate is not trusted, otherwise to nil. Its code is that of the first
///     failure: `errSecNotTrusted` if no anchor has issued the chain, `errSecCertificateExpired`,
///     `errSecCertificateNotValidYet`, `errSecHostNameMismatch`, `errSecInvalidExtendedKeyUsage`,
///     `errSecInvalidSignature` and others; its description names the certificate. `errSecNotAvailable` if OpenSSL 3 is
///     not installed; `errSecDecode` if it cannot read a certificate.
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

/// The result of an evaluation, with Apple's values.
public enum SecTrustResultType: UInt32, Sendable {
  /// Not evaluated yet.
  case invalid = 0
  /// Trusted because the user has decided so. Never returned: see ``unspecified``.
  case proceed = 1
  /// Not trusted because the user has decided so. Never returned.
  case deny = 3
  /// Trusted: the chain ends with an anchor. The user has decided nothing.
  case unspecified = 4
  /// Not trusted, for a reason that may change, such as the date, the anchors or the host name.
  case recoverableTrustFailure = 5
  /// Not trusted, because of a defect of the certificates.
  case fatalTrustFailure = 6
  /// The evaluation failed.
  case otherError = 7
}
