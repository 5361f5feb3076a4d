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
///   - certificates: The ``SecCertificate`` to evaluate, or an array with it first, followed by others that its chain may
///     contain in any order. Anchors need not be among them.
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
///     ``SecTrustSetAnchorCertificatesOnly(_:_:)`` is called with false. An empty array trusts nothing. nil restores the
///     system's anchors.
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

/// Sets whether the anchors of ``SecTrustSetAnchorCertificates(_:_:)`` are the only ones, or extend those of the system.
/// Returns `errSecSuccess`.
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

/// Sets the date at which the chain must be valid. Without a call, it is that of the evaluation. Returns `errSecSuccess`.
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
