/// Why bytes are no certificate that this library reads. It names the field, never what stands there.
package struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: Hashable, Sendable {
    /// The bytes are no DER, or not that of a certificate.
    case malformed
    /// More bytes than ``X509Certificate/maximumByteCount``.
    case tooLarge
  }

  package let code: Code
  /// The field of RFC 5280 that was being read.
  package let field: String

  init(_ code: Code, _ field: String) {
    self.code = code
    self.field = field
  }

  package var description: String {
    switch code {
    case .malformed: "the certificate's \(field) is malformed"
    case .tooLarge: "the certificate is larger than \(X509Certificate.maximumByteCount) bytes"
    }
  }
}
