public import Foundation

/// A policy for the evaluation of certificates. Declared for code that names the type: certificates are not verified,
/// and no function returns a policy.
public final class SecPolicy: NSObject, Sendable {
  private override init() {}
}

/// Returns the type identifier of ``SecPolicy``.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID { CFClass.policy.rawValue }
