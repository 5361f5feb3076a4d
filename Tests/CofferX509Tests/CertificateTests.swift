import CofferTestSupport
import CofferX509
import Foundation
import Testing

/// Certificates as OpenSSL makes them, against what OpenSSL says of them.
@Suite("X.509 certificates")
struct CertificateTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A certificate that OpenSSL signs itself, and the words with which it was asked for.
  private func certificate(
    _ key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], subject: String = "/CN=Jane",
    arguments: [String] = []
  ) throws -> X509Certificate {
    let path = directory.path("certificate.der")
    let request =
      ["openssl", "req", "-x509", "-newkey"] + key + [
        "-keyout", directory.path("key.pem"), "-nodes", "-outform", "DER", "-out", path, "-subj", subject, "-utf8",
      ] + arguments
    try Command.run(arguments: request)
    return try X509Certificate(der: [UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
  }

  private func openssl(_ arguments: String...) throws -> String {
    try Command.run(
      arguments: ["openssl", "x509", "-inform", "DER", "-in", directory.path("certificate.der"), "-noout"] + arguments)
  }

  private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02X", $0) }.joined() }

  @Test(
    "Serial number, key and its hash are what OpenSSL says",
    arguments: [
      (["rsa:2048"], X509Certificate.KeyKind.rsa(bits: 2048)), (["rsa:3072"], .rsa(bits: 3072)),
      (["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], .ellipticCurve(bits: 256)),
      (["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], .ellipticCurve(bits: 384)),
      (["ec", "-pkeyopt", "ec_paramgen_curve:P-521"], .ellipticCurve(bits: 521)),
      (["ec", "-pkeyopt", "ec_paramgen_curve:secp256k1"], .other), (["ed25519"], .other),
    ])
  func keys(key: [String], kind: X509Certificate.KeyKind) throws {
    let certificate = try certificate(key)
    #expect(certificate.keyKind == kind)
    #expect(certificate.version == 3)
    #expect(try openssl("-serial").hasSuffix("=" + hex(certificate.serialNumber.drop { $0 == 0 }.map { $0 })))
    // RFC 5280's first method for the extension is the hash that Keychain keeps.
    #expect(certificate.subjectKeyIdentifier == certificate.publicKeyHash)
    #expect(
      try openssl("-ext", "subjectKeyIdentifier").replacingOccurrences(of: ":", with: "").contains(
        hex(certificate.publicKeyHash)))
  }

  @Test("The names are read in their order, and the summary is the common name, or what comes nearest")
  func names() throws {
    let full = try certificate(
      subject: "/C=DE/O=Example  Org/OU=Unit/CN=Jänè Döe/emailAddress=jane@example.com",
      arguments: ["-addext", "subjectAltName=email:j@example.org,email:jane@example.com,DNS:example.com"])
    #expect(full.subject.texts == ["DE", "Example  Org", "Unit", "Jänè Döe", "jane@example.com"])
    #expect(full.commonName == "Jänè Döe" && full.subjectSummary == "Jänè Döe")
    #expect(full.emailAddresses == ["j@example.org", "jane@example.com"])
    #expect(full.dnsNames == ["example.com"])
    #expect(full.issuer == full.subject)
    #expect(try certificate(subject: "/O=Org/OU=Unit").subjectSummary == "Unit")
    #expect(try certificate(subject: "/O=Org").subjectSummary == "Org")
    #expect(try certificate(subject: "/emailAddress=a@example.com").subjectSummary == "a@example.com")
    #expect(
      try certificate(subject: "/C=DE", arguments: ["-addext", "subjectAltName=DNS:host.example.com"]).subjectSummary
        == "host.example.com")
    #expect(try certificate(subject: "/CN=" + String(repeating: "x", count: 64)).subject.normalizedContent.count > 64)
  }

  @Test("Names that differ in case and spaces of printable text are one name when normalised, others are not")
  func normalization() throws {
    // Without -utf8 and with this mask OpenSSL writes PrintableString.
    let configuration = try directory.write(
      "openssl.cnf", "[req]\nstring_mask = pkix\ndistinguished_name = dn\n[dn]\n")
    func name(_ subject: String) throws -> DistinguishedName {
      let path = directory.path("certificate.der")
      try Command.run(arguments: [
        "openssl", "req", "-config", configuration, "-x509", "-newkey", "ed25519", "-keyout", directory.path("key.pem"),
        "-nodes", "-outform", "DER", "-out", path, "-subj", subject,
      ])
      return try X509Certificate(der: [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))).subject
    }
    let one = try name("/O=Example Org/CN=Jane")
    #expect(try name("/O=EXAMPLE  org /CN=jane").normalizedContent == one.normalizedContent)
    #expect(try name("/O=Example Org/CN=Joan").normalizedContent != one.normalizedContent)
    #expect(one.normalizedSequence.first == 0x30 && one.normalizedSequence.count == one.normalizedContent.count + 2)
    #expect(String(decoding: one.normalizedContent, as: UTF8.self).contains("EXAMPLE ORG"))
  }

  @Test("Validity is read from both forms of time, its ends count in")
  func validity() throws {
    let certificate = try certificate(arguments: ["-days", "36500"])
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = .gmt
    format.dateFormat = "MMM d HH:mm:ss yyyy 'GMT'"
    // Beyond 2049 it is a GeneralizedTime.
    for (date, option) in [(certificate.notBefore, "-startdate"), (certificate.notAfter, "-enddate")] {
      let said = try openssl(option).split(separator: "=")[1].split(separator: " ").joined(separator: " ")
      #expect(format.date(from: said) == date)
    }
    #expect(certificate.isValid(on: certificate.notBefore) && certificate.isValid(on: certificate.notAfter))
    #expect(!certificate.isValid(on: certificate.notBefore - 1) && !certificate.isValid(on: certificate.notAfter + 1))
  }

  @Test("A certificate of the first version has neither extensions nor a version in it")
  func version1() throws {
    let key = directory.path("key.pem")
    let request = directory.path("request.pem")
    try Command.run(
      "openssl", "req", "-new", "-newkey", "ed25519", "-nodes", "-keyout", key, "-subj", "/CN=Old", "-out", request)
    let path = directory.path("certificate.der")
    try Command.run(
      "openssl", "x509", "-req", "-in", request, "-signkey", key, "-outform", "DER", "-out", path, "-set_serial", "-5")
    let certificate = try X509Certificate(der: [UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    #expect(certificate.version == 1)
    #expect(certificate.serialNumber == [0xFB])
    #expect(certificate.subjectKeyIdentifier == nil && certificate.emailAddresses.isEmpty)
  }

  @Test("Altered, cut and lengthened certificates are read or refused, and nothing else")
  func hostile() throws {
    let good = try certificate(
      subject: "/O=Org/CN=Jane", arguments: ["-addext", "subjectAltName=email:a@example.com"]
    ).der
    for index in good.indices {
      for bit: UInt8 in [1, 0x20, 0x80, 0xFF] {
        var bad = good
        bad[index] ^= bit
        _ = try? X509Certificate(der: bad)
      }
      #expect(throws: CertificateError.self) { try X509Certificate(der: Array(good[..<index])) }
    }
    #expect(throws: CertificateError.self) { try X509Certificate(der: good + [0]) }
    #expect(throws: CertificateError.self) { try X509Certificate(der: [UInt8](repeating: 0x30, count: 200_000)) }
    let error = #expect(throws: CertificateError.self) {
      try X509Certificate(der: [UInt8](repeating: 0, count: 1 << 20))
    }
    #expect(error?.code == .tooLarge)
  }
}
