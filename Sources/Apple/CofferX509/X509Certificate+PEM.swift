internal import SwiftASN1

extension X509Certificate {
  /// The largest number of certificates in a text that is read.
  package static let maximumPEMCount = 32

  /// Reads the certificates of a text in PEM (RFC 7468), in order: a certificate, or a chain. Text around them is
  /// ignored. Throws `malformed` if the text contains anything else in PEM, such as a private key, or no certificate,
  /// and `tooLarge` for too many of them.
  package static func certificates(pem: String) throws(CertificateError) -> [X509Certificate] {
    let documents: [PEMDocument]
    do {
      documents = try PEMDocument.parseMultiple(pemString: pem)
    } catch {
      throw CertificateError(.malformed, "the text is not PEM")
    }
    guard !documents.isEmpty else {
      throw CertificateError(.malformed, "the text contains no certificate in PEM")
    }
    guard documents.count <= maximumPEMCount else {
      throw CertificateError(.tooLarge, "the text contains more than \(maximumPEMCount) certificates")
    }
    guard documents.allSatisfy({ $0.discriminator == "CERTIFICATE" }) else {
      throw CertificateError(.malformed, "the text contains something else than certificates, such as a key")
    }
    var certificates: [X509Certificate] = []
    for document in documents { certificates.append(try X509Certificate(der: document.derBytes)) }
    return certificates
  }

  /// The certificate in PEM, with a line end.
  package var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString + "\n" }
}
