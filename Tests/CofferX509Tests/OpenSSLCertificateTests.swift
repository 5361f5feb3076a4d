import CofferX509
import Foundation
import Testing

@Suite struct OpenSSLCertificateTests {
  @Test(
    arguments: [
      ("RSA", "rsa_keygen_bits:2048", KeyKind.rsa(bits: 2048)), ("RSA", "rsa_keygen_bits:1025", .rsa(bits: 1025)),
      ("EC", "ec_paramgen_curve:P-256", .ec(.p256)), ("EC", "ec_paramgen_curve:P-384", .ec(.p384)),
      ("EC", "ec_paramgen_curve:P-521", .ec(.p521)), ("EC", "ec_paramgen_curve:secp256k1", .other),
      ("ED25519", nil, .other),
    ] as [(String, String?, KeyKind)])
  func `Every kind of key is recognised, and hashed like openssl's key identifier`(
    algorithm: String, option: String?, kind: KeyKind
  ) throws {
    let openssl = try OpenSSL()
    let der = try openssl.certificate(key: openssl.key(algorithm, option), subject: "CN = some key")
    let certificate = try X509Certificate(der: der)
    #expect(certificate.keyKind == kind)
    #expect(certificate.publicKeyHash.count == 20)
    #expect(certificate.subjectKeyIdentifier == certificate.publicKeyHash)
  }

  @Test(arguments: ["1", "0x80", "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "-1", "-129", "0"])
  func `A serial number is the one that openssl prints`(number: String) throws {
    let openssl = try OpenSSL()
    let der = try openssl.certificate(
      key: openssl.key("ED25519"), subject: "CN = serial", options: "-set_serial", number)
    let certificate = try X509Certificate(der: der)
    let printed = try openssl.text(of: der, "-serial").dropFirst("serial=".count)
    let isNegative = printed.hasPrefix("-")
    let magnitude = SampleCertificates.bytes(isNegative ? String(printed.dropFirst()) : String(printed))
    #expect(value(of: certificate.serialNumber) == (isNegative, Array(magnitude.drop { $0 == 0 })))
  }

  @Test func `The dates are the ones that openssl prints, before 2050 and after`() throws {
    let openssl = try OpenSSL()
    let key = try openssl.key("ED25519")
    for days in ["1", "36500"] {
      let der = try openssl.certificate(key: key, subject: "CN = dates", options: "-days", days)
      let certificate = try X509Certificate(der: der)
      #expect(try certificate.notBefore == date(openssl.text(of: der, "-startdate")))
      #expect(try certificate.notAfter == date(openssl.text(of: der, "-enddate")))
    }
  }

  // T61, BMP and Universal strings, by OpenSSL's bits for them; the first can encode Latin-1 only.
  @Test(arguments: [("MASK:4", "Größe"), ("MASK:0x800", "Žofie"), ("MASK:0x100", "Žofie"), ("utf8only", "Žofie")])
  func `A name is the same text in T61, BMP, Universal and UTF-8 strings`(mask: String, text: String) throws {
    let openssl = try OpenSSL()
    let der = try openssl.certificate(key: openssl.key("ED25519"), subject: "CN = \(text)", stringMask: mask)
    #expect(try X509Certificate(der: der).subjectSummary == text)
  }

  @Test func `Addresses and host names are those of subjectAltName, then of the subject`() throws {
    let openssl = try OpenSSL()
    let der = try openssl.certificate(
      key: openssl.key("ED25519"), subject: "CN = Mail\nemailAddress = old@example.org",
      extensions: """
        subjectAltName = email:a@example.org, DNS:*.example.org, IP:127.0.0.1, URI:https://example.org, \
        email:b@example.org, RID:1.2.3.4, otherName:1.2.3;UTF8:other, dirName:dir
        [dir]
        CN = directory
        """)
    let certificate = try X509Certificate(der: der)
    #expect(certificate.emailAddresses == ["a@example.org", "b@example.org", "old@example.org"])
    #expect(certificate.dnsNames == ["*.example.org"])
    let printed = try openssl.text(of: der, "-email").split(separator: "\n").map(String.init)
    #expect(Set(printed) == Set(certificate.emailAddresses))
  }

  private func value(of content: [UInt8]) -> (isNegative: Bool, magnitude: [UInt8]) {
    guard let first = content.first, first >= 0x80 else { return (false, Array(content.drop { $0 == 0 })) }
    var magnitude = content.map { ~$0 }
    for index in magnitude.indices.reversed() {
      magnitude[index] &+= 1
      if magnitude[index] != 0 { break }
    }
    return (true, Array(magnitude.drop { $0 == 0 }))
  }

  /// Returns the date in a line such as `notAfter=Jan  1 00:00:00 2050 GMT`.
  private func date(_ line: String) throws -> Date {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "MMM d HH:mm:ss yyyy 'GMT'"
    let words = line.drop { $0 != "=" }.dropFirst().split(separator: " ").joined(separator: " ")
    return try #require(formatter.date(from: words))
  }
}
