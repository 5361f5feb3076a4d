internal import CofferOpenSSL
internal import CofferX509
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

/// The use of a certificate that a policy permits.
enum CertificateUse: Hashable {
  case any
  /// For any use, if its issuer has not revoked it, with the flags of ``SecPolicyCreateRevocation(_:)``.
  case unlessRevoked(UInt)
  /// As a TLS server, with this name unless it is nil.
  case tlsServer(String?)
  case tlsClient
}

/// The settings of an evaluation, and its result as long as they do not change.
struct CertificateEvaluation: Sendable {
  /// The result.
  struct Outcome: Sendable {
    /// The reason for which the certificate is not trusted; nil if it is.
    let failure: SecurityError?
    let result: SecTrustResultType
    /// The certificate, its issuer, and so on, as far as the chain could be built.
    let chain: [SecCertificate]

    /// Records the explanation of the failure, if there is one, as that of a call.
    func record(_ function: String = #function) {
      guard let failure else {
        LastExplanation.current = nil
        return
      }
      failure.recordExplanation()
      failure.explain(function)
    }
  }

  /// The certificate, then others that its chain may contain.
  let certificates: [SecCertificate]
  var policies: [SecPolicy] { didSet { outcome = nil } }
  /// The anchors that were given; nil if none were.
  var anchors: [SecCertificate]? { didSet { outcome = nil } }
  var usesSystemAnchors = true { didSet { outcome = nil } }
  /// The date at which the chain must be valid; nil for that of the evaluation.
  var date: Date? { didSet { outcome = nil } }
  private(set) var outcome: Outcome?

  init(certificates: [SecCertificate], policies: [SecPolicy]) {
    self.certificates = certificates
    self.policies = policies
  }

  /// Returns the result, which is computed if it is not known.
  mutating func evaluate() -> Outcome {
    if let outcome { return outcome }
    let outcome = computedOutcome()
    self.outcome = outcome
    return outcome
  }

  /// Evaluates one policy after the other, up to the first that is not satisfied. That revocation cannot be checked
  /// matters only after that: it must not hide a failure that cannot be ignored.
  private func computedOutcome() -> Outcome {
    var chain: [SecCertificate] = []
    var demandsRevocationCheck = false
    for policy in policies {
      if case .unlessRevoked = policy.use { demandsRevocationCheck = true }
      do throws(OpenSSLError) {
        let evaluation = try evaluation(policy)
        chain = evaluation.chain.compactMap { try? SecCertificate(Data($0)) }
        guard let failure = evaluation.failure else { continue }
        let isFatal = failure.kind == .badSignature
        return Outcome(
          failure: SecurityError(failure, chain: chain, policy: policy, self),
          result: isFatal ? .fatalTrustFailure : .recoverableTrustFailure, chain: chain)
      } catch {
        return Outcome(failure: SecurityError(error, reading: "certificate"), result: .otherError, chain: [])
      }
    }
    guard demandsRevocationCheck else { return Outcome(failure: nil, result: .unspecified, chain: chain) }
    return Outcome(
      failure: SecurityError(
        errSecIncompleteCertRevocationCheck,
        "revocation cannot be checked on Linux; evaluate without the policy of SecPolicyCreateRevocation, or check it "
          + "by other means"),
      result: .recoverableTrustFailure, chain: chain)
  }

  private func evaluation(_ policy: SecPolicy) throws(OpenSSLError) -> TrustEvaluation {
    let (purpose, host): (TrustEvaluation.Purpose, String?) =
      switch policy.use {
      case .any, .unlessRevoked: (.any, nil)
      case .tlsServer(let host): (.tlsServer, host.map(Self.comparable))
      case .tlsClient: (.tlsClient, nil)
      }
    return try TrustEvaluation(
      certificates.map(\.fields.der), anchors: (anchors ?? []).map(\.fields.der), usesSystemAnchors: usesSystemAnchors,
      purpose: purpose, host: host, time: time)
  }

  /// Returns a host name as OpenSSL compares it: without the dot that ends an absolute name. A name that no certificate
  /// can have, but that OpenSSL would read as no name or another one, becomes one that nothing matches.
  private static func comparable(_ host: String) -> String {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    // OpenSSL takes a leading dot for "any subdomain".
    return name.isEmpty || name.hasPrefix(".") || name.utf8.contains(0) ? "invalid name" : name
  }

  /// The time at which the chain must be valid, in seconds since 1970, within the years that certificates can state.
  var time: Int64 {
    let seconds = (date ?? Date()).timeIntervalSince1970
    return seconds.isNaN ? 0 : Int64(min(max(seconds, 0), 253_402_300_799))
  }
}
