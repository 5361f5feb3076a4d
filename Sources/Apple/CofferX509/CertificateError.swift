/// The reason why bytes were rejected as a certificate, name or key.
///
/// It contains nothing from the bytes themselves, so it may be shown and logged even if they are a private key.
package struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    /// The bytes are not DER, or not DER of the expected structure.
    case malformed
    /// The bytes exceed the size limit.
    case tooLarge
    /// The bytes are well formed but have an unknown version.
    case unsupported
  }

  package let code: Code
  /// The affected part and the problem, in one line.
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
