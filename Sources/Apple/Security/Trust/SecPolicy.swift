public import Foundation

/// The conditions that a certificate must satisfy to be trusted.
public final class SecPolicy: NSObject, Sendable {
  let use: CertificateUse

  init(_ use: CertificateUse) { self.use = use }

  /// Returns whether both policies have the same conditions.
  public override func isEqual(_ object: Any?) -> Bool { (object as? SecPolicy)?.use == use }

  /// A hash code of the conditions.
  public override var hash: Int { use.hashValue }

  /// A description with the conditions.
  public override var description: String {
    switch use {
    case .any: "<SecPolicy: X.509>"
    case .unlessRevoked: "<SecPolicy: revocation>"
    case .tlsServer(let host): "<SecPolicy: TLS server\(host.map { ", \($0)" } ?? "")>"
    case .tlsClient: "<SecPolicy: TLS client>"
    }
  }
}

/// Returns the type identifier of ``SecPolicy``.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID { CFClass.policy.rawValue }

/// Returns the policy of a valid chain for any use: signatures, dates, authorities and critical extensions.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.any) }

/// Returns the policy of a TLS connection: that of ``SecPolicyCreateBasicX509()``, the purpose of the certificate, and
/// its names.
///
/// RSA keys must have at least 2048 bits.
///
/// - Parameters:
///   - server: True to evaluate the certificate of a server, false for that of a client.
///   - hostname: The DNS name or the IP address that the server's certificate must have among its alternative names;
///     nil for any. Ignored for clients. A name that is not ASCII must be given in its ASCII form.
/// - Returns: The policy.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(server ? .tlsServer(hostname.map { String($0) }) : .tlsClient)
}

/// Ask the issuer's server whether the certificate is revoked (OCSP): a flag of ``SecPolicyCreateRevocation(_:)``.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// Look the certificate up in its issuer's list of revoked certificates: a flag of ``SecPolicyCreateRevocation(_:)``.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// Prefer the list to the server: a flag of ``SecPolicyCreateRevocation(_:)``.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// Trust nothing without an answer: a flag of ``SecPolicyCreateRevocation(_:)``.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Use only answers that this machine has already: a flag of ``SecPolicyCreateRevocation(_:)``.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// Use the server or the list, whichever is available: two flags of ``SecPolicyCreateRevocation(_:)``.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod

/// Returns the policy of a chain of which no certificate is revoked, as Apple's function of this name.
///
/// Revocation cannot be checked on Linux: nothing is loaded from the network. An evaluation with this policy therefore
/// never succeeds, whatever the flags are. If every other condition is satisfied, it fails with
/// `errSecIncompleteCertRevocationCheck` and the result `recoverableTrustFailure`. Apple's systems trust the
/// certificate if no answer can be had and `kSecRevocationRequirePositiveResponse` is not set.
///
/// - Parameter revocationFlags: The flags `kSecRevocation…`.
/// - Returns: The policy; nil without a flag.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
  revocationFlags == 0 ? nil : SecPolicy(.unlessRevoked(revocationFlags))
}
