/// Why bytes were refused as a certificate, a name or a key.
///
/// Nothing in it comes from the bytes themselves: it may be shown and logged even where they hold a private key.
package struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of refusal it is.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    /// Not DER, or DER that is not what the reader was told it is.
    case malformed
    /// Longer than the reader's cap.
    case tooLarge
    /// Well formed, but of a version that the reader does not know.
    case unsupported
  }

  /// What kind of refusal it is.
  package let code: Code
  /// The part concerned and what is wrong with it, in one line.
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
