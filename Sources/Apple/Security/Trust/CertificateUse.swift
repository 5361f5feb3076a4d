/// The use of a certificate that a policy permits.
enum CertificateUse: Hashable {
  case any
  /// For any use, if its issuer has not revoked it, with the flags of ``SecPolicyCreateRevocation(_:)``.
  case unlessRevoked(UInt)
  /// As a TLS server, with this name unless it is nil.
  case tlsServer(String?)
  case tlsClient
}
