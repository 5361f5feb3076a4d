internal import CofferTestSupport
internal import Foundation
internal import Security
internal import Testing

/// Certificates that the program `openssl` signs with keys that it makes.
final class CertificateAuthority {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A certificate and its private key.
  struct Issued {
    let certificate: SecCertificate
    let key: SecKey
    let der: Data
  }

  /// Makes a certificate on P-256, signed by another certificate or by itself.
  ///
  /// `name` is the file's name, and the common name unless `subject` is given; `issuer` is the name of an earlier
  /// certificate. Dates have the form of `openssl ca`: `20200101000000Z`.
  func issue(
    _ name: String, subject: String? = nil, by issuer: String? = nil, email: String? = nil, serial: Int = 1,
    validFrom: String = "20200101000000Z", to end: String = "20400101000000Z"
  ) throws -> Issued {
    let (key, request, file) = (folder.path("\(name).key"), folder.path("request"), folder.path("\(name).pem"))
    try openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key])
    try openssl([
      "req", "-new", "-utf8", "-key", key, "-subj", subject ?? "/O=Example/CN=\(name)", "-out", request,
    ])
    let configuration = try configuration(serial: serial, email: email)
    let signer =
      issuer.map { ["-cert", folder.path("\($0).pem"), "-keyfile", folder.path("\($0).key")] }
      ?? ["-selfsign", "-keyfile", key]
    try openssl(
      ["ca", "-batch", "-utf8", "-notext", "-config", configuration, "-in", request, "-out", file] + signer
        + ["-startdate", validFrom, "-enddate", end])
    try openssl(["x509", "-in", file, "-outform", "DER", "-out", folder.path("\(name).der")])
    let der = try Data(contentsOf: URL(filePath: folder.path("\(name).der")))
    return Issued(
      certificate: try #require(SecCertificateCreateWithData(nil, der as CFData)), key: try privateKey(key), der: der)
  }

  /// Writes and returns the configuration of `openssl ca`, the only command that sets both dates.
  private func configuration(serial: Int, email: String?) throws -> String {
    let hex = String(serial, radix: 16)
    _ = try folder.write("serial", (hex.count.isMultiple(of: 2) ? "" : "0") + hex + "\n")
    _ = try folder.write("database", "")
    return try folder.write(
      "configuration",
      """
      [ca]
      default_ca = authority
      [authority]
      new_certs_dir = \(folder.path("."))
      database = \(folder.path("database"))
      serial = \(folder.path("serial"))
      default_md = sha256
      policy = policy
      preserve = yes
      x509_extensions = extensions
      [policy]
      organizationName = optional
      commonName = supplied
      [extensions]
      \(email.map { "subjectAltName = email:\($0)" } ?? "basicConstraints = CA:TRUE")

      """)
  }

  /// The key in Apple's format: the point, followed by the private number.
  private func privateKey(_ path: String) throws -> SecKey {
    let der = folder.path("key.der")
    try openssl(["ec", "-in", path, "-outform", "DER", "-out", der])
    // ECPrivateKey of RFC 5915: a sequence of version, 32 bytes, the curve, and 65 bytes of the point at the end.
    let bytes = try Data(contentsOf: URL(filePath: der))
    let number = bytes.dropFirst(7).prefix(32)
    let attributes = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
    return try #require(read(bytes.suffix(65) + number, attributes as CFDictionary))
  }

  private func openssl(_ arguments: [String]) throws { _ = try Command.run(arguments: ["openssl"] + arguments) }
}
