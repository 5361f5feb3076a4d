public import Foundation

/// The evaluation of a certificate. Declared for code that names the type: certificates are not verified, and no
/// function returns an evaluation.
public final class SecTrust: NSObject, Sendable {
  private override init() {}
}

/// Returns the type identifier of ``SecTrust``.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID { CFClass.trust.rawValue }
