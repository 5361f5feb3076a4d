public import Coffer
internal import CofferFormat
public import CofferPlatform
internal import CofferX509

extension KeychainCertificate {
  /// Parses a certificate and reads its attributes.
  ///
  /// - Parameters:
  ///   - der: An X.509 certificate, at most 64 KiB of DER.
  ///   - label: The label that lists show to users; a summary of the subject, usually its common name, if nil.
  /// - Throws: `VaultError`: `invalidArgument` for bytes that are not a certificate.
  public init(der: Data, label: String? = nil) throws(VaultError) {
    let certificate = try X509Certificate(argument: der, recoverySuggestion: "pass one X.509 certificate in DER")
    self.init(ItemAttributes(certificate: certificate), der: der)
    if let label { self.label = label }
  }
}

extension X509Certificate {
  /// Parses a certificate that is an argument of a call.
  init(argument der: Data, recoverySuggestion: String) throws(VaultError) {
    do throws(CertificateError) {
      try self.init(der: [UInt8](der))
    } catch {
      throw VaultError(.invalidArgument, error.description, recoverySuggestion: recoverySuggestion)
    }
  }
}
