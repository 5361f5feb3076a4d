private import Foundation

/// A certificate authority of a test, and certificates of it.
package final class CertificateAuthority {
  /// A certificate with its key, as files in PEM form.
  package struct Identity: Sendable {
    package let certificate: String
    package let key: String
  }

  private let directory: TemporaryDirectory

  /// The certificate of the authority.
  package var certificate: String { directory.path("ca.pem") }

  package init() throws {
    directory = try TemporaryDirectory()
    try Command.run(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=Coffer test authority", "-keyout", directory.path("ca.key"), "-out", certificate)
  }

  /// Makes a certificate.
  ///
  /// - Parameters:
  ///   - name: The host, a name or an IP address.
  ///   - isExpired: Whether its time is over.
  /// - Returns: The certificate and its key.
  /// - Throws: An error if openssl fails.
  package func identity(for name: String, isExpired: Bool = false) throws -> Identity {
    let file = "\(UUID().uuidString)"
    let (key, request, output) = (
      directory.path("\(file).key"), directory.path("\(file).csr"), directory.path("\(file).pem")
    )
    let kind = name.allSatisfy { $0.isNumber || $0 == "." || $0 == ":" } ? "IP" : "DNS"
    let extensions = try directory.write("\(file).ext", "subjectAltName=\(kind):\(name)\nbasicConstraints=CA:FALSE\n")
    try Command.run(
      "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
      "/CN=\(name)",
      "-keyout", key, "-out", request)
    // A negative number of days ends before it begins, which every reader takes for expired.
    try Command.run(
      "openssl", "x509", "-req", "-in", request, "-CA", certificate, "-CAkey", directory.path("ca.key"),
      "-CAcreateserial", "-days", isExpired ? "-1" : "2", "-extfile", extensions, "-out", output)
    return Identity(certificate: output, key: key)
  }
}
