import CofferTestSupport
import Foundation

/// Keys and certificates that the program `openssl` makes, in a temporary folder.
struct OpenSSL {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Makes a private key and returns its path.
  func key(_ algorithm: String, _ option: String? = nil) throws -> String {
    let path = directory.path("key-\(UUID().uuidString).pem")
    try openssl(["genpkey", "-algorithm", algorithm, "-out", path] + (option.map { ["-pkeyopt", $0] } ?? []))
    return path
  }

  /// Returns a key in PKCS#1 form, as `openssl rsa` writes it with these options.
  func pkcs1(_ key: String, _ options: String...) throws -> [UInt8] {
    let path = directory.path("key-\(UUID().uuidString).der")
    try openssl(["rsa", "-in", key, "-outform", "DER", "-out", path] + options)
    return try bytes(path)
  }

  /// Makes a self-signed certificate with these lines of configuration.
  func certificate(
    key: String, subject: String, extensions: String = "subjectKeyIdentifier=hash", stringMask: String = "utf8only",
    options: String...
  ) throws -> [UInt8] {
    let configuration = try directory.write(
      "\(UUID().uuidString).cnf",
      """
      [req]
      utf8 = yes
      string_mask = \(stringMask)
      prompt = no
      distinguished_name = dn
      x509_extensions = ext
      [dn]
      \(subject)
      [ext]
      \(extensions)
      """)
    let path = directory.path("certificate-\(UUID().uuidString).der")
    try openssl(
      ["req", "-x509", "-new", "-key", key, "-config", configuration, "-outform", "DER", "-out", path] + options)
    return try bytes(path)
  }

  /// Returns what `openssl x509` prints about a certificate with these options.
  func text(of certificate: [UInt8], _ options: String...) throws -> String {
    let path = directory.path("certificate-\(UUID().uuidString).der")
    try Data(certificate).write(to: URL(fileURLWithPath: path))
    return try openssl(["x509", "-inform", "DER", "-in", path, "-noout"] + options)
  }

  private func bytes(_ path: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: path))) }

  @discardableResult
  private func openssl(_ arguments: [String]) throws -> String {
    try Command.run(arguments: ["openssl"] + arguments)
  }
}
