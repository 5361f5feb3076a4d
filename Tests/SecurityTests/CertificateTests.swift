internal import CofferTestSupport
internal import Foundation
internal import Security
internal import Testing

@Suite struct CertificateTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Returns a certificate that OpenSSL signs with the vector's own key.
  private func certificate(_ vector: KeyVectors.Key, subject: String = "/C=de/O=Example/CN=Jane Doe") throws -> Data {
    try Data(vector.pem.utf8).write(to: URL(filePath: folder.path("key.pem")))
    try Command.run(
      "openssl", "req", "-x509", "-new", "-key", folder.path("key.pem"), "-subj", subject, "-set_serial", "0x1234",
      "-days", "10", "-addext", "subjectAltName=email:jane@example.com", "-outform", "DER", "-out", folder.path("der"))
    return try Data(contentsOf: URL(filePath: folder.path("der")))
  }

  private func read(_ data: Data) -> SecCertificate? { SecCertificateCreateWithData(nil, data as CFData) }

  @Test(arguments: KeyVectors.all.keys)
  func `A certificate returns its key, and forms an identity with the private key`(_ vector: KeyVectors.Key) throws {
    let data = try certificate(vector)
    let certificate = try #require(read(data))
    #expect(SecCertificateCopyData(certificate) as Data == data)
    #expect(SecCertificateCopyKey(certificate) == (try vector.publicKey))
    #expect(CFGetTypeID(certificate) == SecCertificateGetTypeID())
    #expect(read(data) == certificate)

    let identity = try #require(SecIdentity(certificate: certificate, privateKey: try vector.privateKey))
    #expect(CFGetTypeID(identity) == SecIdentityGetTypeID())
    var ownCertificate: SecCertificate?
    var ownKey: SecKey?
    let statuses = unsafe [
      SecIdentityCopyCertificate(identity, &ownCertificate), SecIdentityCopyPrivateKey(identity, &ownKey),
    ]
    #expect(statuses == [errSecSuccess, errSecSuccess])
    #expect(ownCertificate == certificate)
    #expect(ownKey == (try vector.privateKey))
    #expect(SecIdentity(certificate: certificate, privateKey: try vector.publicKey) == nil)
    for other in KeyVectors.all.keys where other.name != vector.name {
      #expect(SecIdentity(certificate: certificate, privateKey: try other.privateKey) == nil)
    }
  }

  @Test func `Names, addresses and serial number are the certificate's`() throws {
    let vector = try #require(KeyVectors.all.keys.first)
    let certificate = try #require(read(try certificate(vector)))
    #expect(SecCertificateCopySubjectSummary(certificate) as String? == "Jane Doe")
    var name: CFString?
    var addresses: CFArray?
    let statuses = unsafe [
      SecCertificateCopyCommonName(certificate, &name), SecCertificateCopyEmailAddresses(certificate, &addresses),
    ]
    #expect(statuses == [errSecSuccess, errSecSuccess])
    #expect(name as String? == "Jane Doe")
    #expect(addresses as? [String] == ["jane@example.com"])
    let serialNumber = SecCertificateCopySerialNumberData(certificate, nil) as Data?
    #expect(serialNumber == Data([0x12, 0x34]))
    let subject = try #require(SecCertificateCopyNormalizedSubjectSequence(certificate)) as Data
    #expect(subject.first == 0x30)
    // Printable text is normalised, other text is compared unchanged.
    #expect(subject.range(of: Data([0x13, 2]) + Data("DE".utf8)) != nil)
    #expect(subject.range(of: Data("Jane Doe".utf8)) != nil)
    #expect(SecCertificateCopyNormalizedIssuerSequence(certificate) as Data? == subject)
    let until = try #require(SecCertificateCopyNotValidAfterDate(certificate)) as Date
    let from = try #require(SecCertificateCopyNotValidBeforeDate(certificate)) as Date
    #expect(until.timeIntervalSince(from) == 10 * 86400)
  }

  @Test func `A missing common name is errSecNoFieldValues`() throws {
    let vector = try #require(KeyVectors.all.keys.first)
    let certificate = try #require(read(try certificate(vector, subject: "/O=Example")))
    var name: CFString? = "before"
    let status = unsafe SecCertificateCopyCommonName(certificate, &name)
    #expect(status == errSecNoFieldValues)
    #expect(name == nil)
    #expect(SecCertificateCopySubjectSummary(certificate) as String? == "Example")
  }

  @Test func `Damaged certificates never trap`() throws {
    let whole = try certificate(try #require(KeyVectors.all.keys.last))
    for count in stride(from: 0, to: whole.count, by: 7) { #expect(read(whole.prefix(count)) == nil) }
    #expect(read(whole + [0]) == nil)
    for position in whole.indices {
      var data = whole
      data[position] ^= 0x21
      guard let certificate = read(data) else { continue }
      #expect(SecCertificateCopyData(certificate) as Data == data)
      _ = SecCertificateCopyKey(certificate)
    }
  }
}
