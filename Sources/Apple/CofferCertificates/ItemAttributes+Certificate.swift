package import CofferFormat
internal import CofferVault
package import CofferX509

extension ItemAttributes {
  /// The attributes that Keychain stores for a certificate, and those by which Coffer searches without opening values.
  package init(certificate: X509Certificate) {
    self.init([
      .certificateType: .number(Int64(certificate.version)), .certificateEncoding: .number(Self.encodingDER),
      .issuer: .data(certificate.normalizedIssuer), .subject: .data(certificate.normalizedSubject),
      .serialNumber: .data(certificate.serialNumber), .publicKeyHash: .data(certificate.publicKeyHash),
      .notBefore: .date(Timestamp(certificate.notBefore)), .notAfter: .date(Timestamp(certificate.notAfter)),
      .subjectTexts: .string(certificate.subjectName.texts.joined(separator: "\n")),
      .emailAddresses: .string(certificate.emailAddresses.joined(separator: "\n")),
      .label: .string(certificate.subjectSummary ?? ""),
    ])
    if let identifier = certificate.subjectKeyIdentifier { self[.subjectKeyID] = .data(identifier) }
  }

  /// Apple's constant for DER (`CSSM_CERT_ENCODING_DER`).
  private static let encodingDER: Int64 = 3
}
