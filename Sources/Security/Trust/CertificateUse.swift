/// The use of a certificate that a policy permits.
enum CertificateUse: Hashable {
  case any
  /// As a TLS server, with this name unless it is nil.
  case tlsServer(String?)
  case tlsClient
}
