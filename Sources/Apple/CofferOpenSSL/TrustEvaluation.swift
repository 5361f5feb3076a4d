internal import CLibcrypto

/// The verification of a certificate by OpenSSL.
package struct TrustEvaluation: Sendable {
  /// The use of a certificate that is verified.
  package enum Purpose: Sendable {
    case any, tlsServer, tlsClient
  }

  /// The reason for which a certificate is not trusted.
  package struct Failure: Sendable, Equatable {
    package enum Kind: Sendable, Equatable, CaseIterable {
      /// The chain does not end with an anchor.
      case noAnchor
      case expired, notYetValid
      /// The certificate does not have the host's name or address.
      case hostMismatch
      case badSignature
      /// The certificate is not meant for this use.
      case wrongPurpose
      /// An issuer is not an authority, or may not sign certificates.
      case noAuthority
      case pathTooLong
      /// A critical extension is not known.
      case unknownExtension
      case weakKey, weakDigest
      /// An issuer may not issue certificates of this name.
      case nameNotAllowed
      case other
    }

    package let kind: Kind
    /// The position in the chain of the certificate that fails, from 0.
    package let position: Int
    /// OpenSSL's description.
    package let text: String
  }

  /// The certificate, its issuer, and so on, as far as the chain could be built; with the anchor if it is trusted.
  package let chain: [[UInt8]]
  /// The first failure; nil if the certificate is trusted.
  package let failure: Failure?

  /// Verifies the first of the certificates, of which there is at least one. Its chain may contain the others. The
  /// anchors are trusted, and need not be roots. All of them are in DER. With `usesSystemAnchors`, the certificates of
  /// `SSL_CERT_FILE` and `SSL_CERT_DIR`, by default of `/etc/ssl/certs`, are trusted, too.
  ///
  /// The host is the DNS name or the address that the certificate must have, nil for any. The chain must be valid at
  /// the time, in seconds since 1970. Throws `damaged` if OpenSSL cannot read a certificate.
  package init(
    _ certificates: [[UInt8]], anchors: [[UInt8]], usesSystemAnchors: Bool, purpose: Purpose, host: String?, time: Int64
  ) throws(OpenSSLError) {
    var failure = unsafe coffer_trust_failure()
    let chains = try unsafe CollectedChains.collect(1) { context, visit in
      unsafe withByteList(certificates) { certificates in
        unsafe withByteList(anchors) { anchors in
          unsafe withOptionalCString(host) { host in
            var request = unsafe coffer_trust_request(
              certificates: certificates, anchors: anchors, uses_system_anchors: usesSystemAnchors ? 1 : 0,
              purpose: purpose.constant, host: host, time: time)
            return unsafe coffer_trust_evaluate(&request, &failure, context, visit)
          }
        }
      }
    }
    chain = chains[0]
    self.failure = unsafe Failure(failure)
  }
}

extension TrustEvaluation.Purpose {
  fileprivate var constant: coffer_trust_purpose {
    switch self {
    case .any: COFFER_TRUST_ANY_PURPOSE
    case .tlsServer: COFFER_TRUST_TLS_SERVER
    case .tlsClient: COFFER_TRUST_TLS_CLIENT
    }
  }
}

extension TrustEvaluation.Failure {
  fileprivate init?(_ failure: coffer_trust_failure) {
    let kind: Kind
    switch unsafe failure.kind {
    case COFFER_TRUST_NO_FAILURE: return nil
    case COFFER_TRUST_NO_ANCHOR: kind = .noAnchor
    case COFFER_TRUST_EXPIRED: kind = .expired
    case COFFER_TRUST_NOT_YET_VALID: kind = .notYetValid
    case COFFER_TRUST_HOST_MISMATCH: kind = .hostMismatch
    case COFFER_TRUST_BAD_SIGNATURE: kind = .badSignature
    case COFFER_TRUST_WRONG_PURPOSE: kind = .wrongPurpose
    case COFFER_TRUST_NO_AUTHORITY: kind = .noAuthority
    case COFFER_TRUST_PATH_TOO_LONG: kind = .pathTooLong
    case COFFER_TRUST_UNKNOWN_EXTENSION: kind = .unknownExtension
    case COFFER_TRUST_WEAK_KEY: kind = .weakKey
    case COFFER_TRUST_WEAK_DIGEST: kind = .weakDigest
    case COFFER_TRUST_NAME_NOT_ALLOWED: kind = .nameNotAllowed
    default: kind = .other
    }
    self.kind = kind
    position = Int(unsafe failure.position)
    text = unsafe failure.text.map { unsafe String(cString: $0) } ?? ""
  }
}

/// Chains of certificates, which OpenSSL builds.
package enum CertificateChains {
  /// Builds the chains of certificates in DER, as far as possible and without verifying them: each certificate, its
  /// issuer, and so on, up to a root if there is one. They may also contain `others`. Throws `damaged` if OpenSSL
  /// cannot read a certificate.
  package static func build(of certificates: [[UInt8]], from others: [[UInt8]]) throws(OpenSSLError) -> [[[UInt8]]] {
    try unsafe CollectedChains.collect(certificates.count) { context, visit in
      unsafe withByteList(certificates + others) { list in
        unsafe coffer_chains_build(list, certificates.count, context, visit)
      }
    }
  }
}

/// Chains whose certificates a C function hands over one by one.
final class CollectedChains {
  private var chains: [[[UInt8]]]

  private init(count: Int) { chains = Array(repeating: [], count: count) }

  /// Runs a function that takes a visitor and its context, and returns a status, whose error is thrown. The chains have
  /// certificates in DER.
  static func collect(
    _ count: Int, _ run: (UnsafeMutableRawPointer, coffer_certificate_visitor) -> Int32
  ) throws(OpenSSLError) -> [[[UInt8]]] {
    let collected = CollectedChains(count: count)
    let status = withExtendedLifetime(collected) {
      unsafe run(Unmanaged.passUnretained(collected).toOpaque()) { context, position, der in
        guard let context = unsafe context else { return }
        let collected = unsafe Unmanaged<CollectedChains>.fromOpaque(context).takeUnretainedValue()
        collected.chains[position].append(unsafe der.array)
      }
    }
    try Libcrypto.check(status)
    return collected.chains
  }
}
