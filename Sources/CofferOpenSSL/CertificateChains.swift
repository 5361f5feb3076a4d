internal import CLibcrypto

/// Chains of certificates, which OpenSSL builds.
package enum CertificateChains {
  /// Builds the chains of certificates, as far as possible and without verifying them.
  ///
  /// - Parameters:
  ///   - certificates: Certificates in DER.
  ///   - others: Further certificates that the chains may contain, besides `certificates`.
  /// - Returns: A chain for each certificate: the certificate, its issuer, and so on, up to a root if there is one.
  /// - Throws: `damaged` if OpenSSL cannot read a certificate; `unavailable`; `failed`.
  package static func build(of certificates: [[UInt8]], from others: [[UInt8]]) throws(OpenSSLError) -> [[[UInt8]]] {
    try unsafe CollectedChains.collect(certificates.count) { context, visit in
      unsafe withByteList(certificates + others) { list in
        unsafe coffer_chains_build(list, certificates.count, context, visit)
      }
    }
  }
}
