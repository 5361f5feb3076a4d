import CofferTestSupport
import Foundation
import Testing

/// PKCS #12 files and certificates in an app with a vault on disk.
@Suite struct IdentityImportTests {
  private let machine: Machine
  private let app: InstalledApp

  init() throws {
    machine = try Machine()
    try machine.makeVault()
    app = try InstalledApp("app", on: machine)
  }

  private static func vector(_ name: String) -> String {
    DocumentationPage.root.appending(path: "Tests/SecurityTests/Vectors/PKCS12/\(name).p12").path
  }

  @Test func `Identities of a file are stored on disk, and sign in another process`() throws {
    for name in ["java", "keychain-access"] { try app.succeed("import", Self.vector(name), input: "sesame") }
    #expect(try app.succeed("identities") == "Jane Doe\nelliptic\nrsa")
    let again = try app.run("import", Self.vector("java"), input: "sesame")
    expectFailure(again, Status.duplicateItem, of: "SecItemAdd")
    let wrong = try app.run("import", Self.vector("java"), input: "open sesame", environment: ["COFFER_EXPLAIN": "1"])
    #expect(wrong.errors.contains("SecPKCS12Import: \(Status.authFailed) "), "\(wrong)")
    #expect(wrong.errors.hasPrefix("SecPKCS12Import: The user name or passphrase"), "\(wrong)")
    #expect(!wrong.errors.contains("open sesame"), "\(wrong)")
  }

  @Test func `The variables of OpenSSL name the certificates of the system`() throws {
    let (key, certificate, der) = (machine.directory.path("key"), machine.directory.path("root.pem"), "root.der")
    try Command.run(
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
      "-subj", "/CN=Root", "-addext", "subjectAltName=DNS:server.example.com")
    try Command.run(
      "openssl", "x509", "-in", certificate, "-outform", "DER", "-out", machine.directory.path(der))
    let arguments = ["trust", machine.directory.path(der), "server.example.com"]
    let unknown = try app.run(arguments[0], arguments[1], arguments[2])
    expectFailure(unknown, -67843, of: "SecTrustEvaluateWithError", "update-ca-certificates")
    let known = try app.run(
      arguments[0], arguments[1], arguments[2], environment: ["SSL_CERT_FILE": certificate])
    #expect(known.exitCode == 0, "\(known)")
    let other = try app.run(
      arguments[0], arguments[1], "other.example.com", environment: ["SSL_CERT_FILE": certificate])
    expectFailure(other, -67602, of: "SecTrustEvaluateWithError", "other.example.com", "server.example.com")
  }

  @Test func `Without OpenSSL or its legacy provider, the calls name the package to install`() throws {
    let empty = try TemporaryDirectory()
    let old = try app.run(
      "import", Self.vector("keychain-access"), input: "sesame", environment: ["OPENSSL_MODULES": empty.path])
    expectFailure(old, Status.notAvailable, of: "SecPKCS12Import", "openssl-provider-legacy")
    // A file with AES does not need it.
    let modern = try app.run(
      "import", Self.vector("java"), input: "sesame", environment: ["OPENSSL_MODULES": empty.path])
    #expect(modern.exitCode == 0, "\(modern)")

    // Found before the system's, and no library.
    try empty.write("libcrypto.so.3", "")
    let without = try app.run(
      "import", Self.vector("java"), input: "sesame", environment: ["LD_LIBRARY_PATH": empty.path])
    expectFailure(without, Status.notAvailable, of: "SecPKCS12Import", "install the package libssl3")
    #expect(try app.run("add", "jane", input: "value", environment: ["LD_LIBRARY_PATH": empty.path]).exitCode == 0)
  }

  @Test func `An app links no OpenSSL`() throws {
    let needed = try Command.run("readelf", "--dynamic", "--wide", app.program)
    #expect(needed.contains("NEEDED") && needed.contains("libsodium"))
    #expect(!needed.contains("libcrypto") && !needed.contains("libssl"))
  }
}
