public import Foundation

/// The evaluation of a certificate: a name that code mentions. Certificates are not verified here, and nothing makes one.
public final class SecTrust: NSObject, Sendable {
  private override init() {}
}

/// The rules of an evaluation: a name that code mentions. Certificates are not verified here, and nothing makes one.
public final class SecPolicy: NSObject, Sendable {
  private override init() {}
}

/// The number of the class of evaluations.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID { CFClass.trust.rawValue }

/// The number of the class of rules.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID { CFClass.policy.rawValue }
