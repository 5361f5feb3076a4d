internal import CLibcrypto

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
