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
