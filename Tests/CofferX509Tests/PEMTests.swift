import CofferX509
import Testing

@Suite struct PEMTests {
  @Test func `A certificate is the same after it was written as PEM and read again, alone and in a chain`() throws {
    let one = try X509Certificate(der: SampleCertificates.mail)
    let other = try X509Certificate(der: SampleCertificates.names)
    #expect(one.pem.hasPrefix("-----BEGIN CERTIFICATE-----\n") && one.pem.hasSuffix("-----END CERTIFICATE-----\n"))
    #expect(one.pem.split(separator: "\n").allSatisfy { $0.utf8.count <= 64 })
    #expect(try X509Certificate.certificates(pem: one.pem).map(\.der) == [one.der])
    let chain = "subject=CN = mail\n\(one.pem)\nissuer=x\n\(other.pem)"
    #expect(try X509Certificate.certificates(pem: chain).map(\.der) == [one.der, other.der])
  }

  @Test func `A text with anything but certificates is refused, and the error repeats nothing of it`() throws {
    let pem = try X509Certificate(der: SampleCertificates.mail).pem
    let key = pem.replacing("CERTIFICATE", with: "PRIVATE KEY")
    for text in [
      "", "words", "-----BEGIN CERTIFICATE-----", key, pem + key, pem.replacing("MII", with: "!!!"),
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      String(repeating: pem, count: X509Certificate.maximumPEMCount + 1),
    ] {
      let error = #expect(throws: CertificateError.self) { try X509Certificate.certificates(pem: text) }
      #expect(error?.description.contains("MII") == false)
    }
  }

  @Test(arguments: KeyKind.Curve.allCases)
  func `A generated key is a point and a scalar of its curve, each time another one`(curve: KeyKind.Curve) {
    let (one, other) = (ExternalKey(generatingOn: curve), ExternalKey(generatingOn: curve))
    let size = (curve.bits + 7) / 8
    #expect(one.externalRepresentation.count == 1 + 3 * size && one.externalRepresentation.first == 4)
    #expect(one.publicKeyHash.count == 20 && one.publicKeyHash != other.publicKeyHash)
    #expect(one.externalRepresentation != other.externalRepresentation)
  }
}
