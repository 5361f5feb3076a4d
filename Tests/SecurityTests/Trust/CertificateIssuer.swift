internal import CofferTestSupport
internal import Foundation
internal import Security
internal import Testing

/// Certificates with chosen extensions, keys and issuers, which the program `openssl` signs. Valid from now on for ten
/// days; roots for twenty.
final class CertificateIssuer {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The extensions of an authority.
  static let authority = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"]

  /// Issues a certificate for a new key.
  ///
  /// `name` is the common name and that of the files, `issuer` the name of an earlier certificate or nil for one that
  /// signs itself. `extensions` are lines of OpenSSL's configuration, and `key` arguments of `openssl genpkey`.
  @discardableResult
  func issue(
    _ name: String, by issuer: String? = nil, _ extensions: [String] = [],
    key: [String] = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], digest: String = "sha256"
  ) throws -> SecCertificate {
    try openssl(["genpkey"] + key + ["-out", path(name, "key")])
    let request = ["req", "-new", "-utf8", "-key", path(name, "key"), "-subj", "/O=Example/CN=\(name)"]
    try openssl(request + ["-out", path(name, "csr")])
    let settings = try folder.write("\(name).cnf", extensions.joined(separator: "\n") + "\n")
    let signer =
      issuer.map { ["-CA", path($0, "pem"), "-CAkey", path($0, "key"), "-days", "10"] }
      ?? ["-signkey", path(name, "key"), "-days", "20"]
    try openssl(
      ["x509", "-req", "-in", path(name, "csr"), "-out", path(name, "pem"), "-extfile", settings]
        + ["-set_serial", "\(Int.random(in: 1...1_000_000))", "-\(digest)"] + signer)
    return try certificate(name)
  }

  func path(_ name: String, _ kind: String) -> String { folder.path("\(name).\(kind)") }

  /// Returns a certificate in DER.
  func der(_ name: String) throws -> Data {
    try openssl(["x509", "-in", path(name, "pem"), "-outform", "DER", "-out", path(name, "der")])
    return try Data(contentsOf: URL(filePath: path(name, "der")))
  }

  private func certificate(_ name: String) throws -> SecCertificate {
    try #require(SecCertificateCreateWithData(nil, try der(name) as CFData))
  }

  /// Writes a PKCS #12 file with a key, its certificate and those of `issuers`, and returns its bytes. `options` are
  /// further arguments of `openssl pkcs12`.
  func pkcs12(
    _ name: String, with issuers: [String] = [], passphrase: String = "sesame", _ options: [String] = []
  ) throws -> Data {
    let others = try issuers.map { try String(contentsOfFile: path($0, "pem"), encoding: .utf8) }
    let chain = try folder.write("\(name).chain", others.joined())
    try openssl(
      ["pkcs12", "-export", "-inkey", path(name, "key"), "-in", path(name, "pem"), "-out", path(name, "p12")]
        + (issuers.isEmpty ? [] : ["-certfile", chain])
        + ["-passout", "file:\(try folder.write("passphrase", passphrase + "\n"))"] + options)
    return try Data(contentsOf: URL(filePath: path(name, "p12")))
  }

  func openssl(_ arguments: [String]) throws {
    _ = try Command.run(arguments: ["openssl"] + arguments, environment: ["LC_ALL": "C.UTF-8"])
  }
}
