/// What a list shows of a certificate besides its row.
package struct CertificateSummary: Sendable {
  package let validity: Validity
  /// The kind and size of the public key: "RSA, 2048 bits".
  package let key: String
}
