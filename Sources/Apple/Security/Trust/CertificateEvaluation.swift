internal import CofferOpenSSL
internal import CofferX509
internal import Foundation

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
    return name.isEmpty || name.utf8.contains(0) ? "invalid name" : name
  }

  /// The time at which the chain must be valid, in seconds since 1970, within the years that certificates can state.
  var time: Int64 {
    let seconds = (date ?? Date()).timeIntervalSince1970
    return seconds.isNaN ? 0 : Int64(min(max(seconds, 0), 253_402_300_799))
  }
}
