import CofferX509
import Foundation
import Testing

@Suite struct FrozenCertificateTests {
  @Test func `Every field of a certificate with extensions is read`() throws {
    let certificate = try X509Certificate(der: SampleCertificates.mail)
    #expect(certificate.der == SampleCertificates.mail)
    #expect(certificate.version == 3)
    #expect(certificate.version == 3)
    #expect(certificate.serialNumber == [1, 0])
    #expect(certificate.notBefore == Date(timeIntervalSince1970: 1_582_979_415))
    #expect(certificate.notAfter == Date(timeIntervalSince1970: 2_524_607_999))
    #expect(certificate.subjectSummary == "Erika Mustermann")
    #expect(certificate.commonName == "Erika Mustermann")
    #expect(certificate.emailAddresses == ["erika@example.org", "em@example.org", "erika@old.example"])
    #expect(certificate.dnsNames == ["erika.example.org"])
    #expect(certificate.subjectKeyIdentifier == [0xC0, 0xFF, 0xEE])
    #expect(certificate.publicKeyHash == SampleCertificates.bytes("936fd5304b5cec9ff3f38f49a1503f7ce3733fa6"))
    #expect(certificate.keyKind == .rsa(bits: 2048))
    #expect(certificate.subjectPublicKeyInfo.parameters == [5, 0])
    #expect(certificate.subjectPublicKeyInfo.algorithm == SampleCertificates.bytes("2a864886f70d010101"))
  }

  @Test func `Names are returned unchanged, and normalised like Apple's`() throws {
    let certificate = try X509Certificate(der: SampleCertificates.mail)
    let issuer = name(
      (organization, printableString("Example  Org ")), (commonName, printableString("example mail CA")))
    #expect(certificate.issuer == issuer)
    let normalized = name(
      (organization, printableString("EXAMPLE ORG")), (commonName, printableString("EXAMPLE MAIL CA")))
    #expect(certificate.normalizedIssuerSequence == normalized)
    #expect(certificate.normalizedIssuer == Array(normalized.dropFirst(2)))
    let subject = name(
      (country, printableString("CH")), (organization, printableString("EXAMPLE ORG")),
      (commonName, utf8String("Erika Mustermann")), (emailAddress, ia5String("erika@old.example")))
    #expect(certificate.normalizedSubjectSequence == subject)
    #expect(certificate.normalizedSubject == Array(subject.dropFirst(2)))
  }

  @Test func `UTF-8 and BMP names are read, and both forms of time at their bounds`() throws {
    let certificate = try X509Certificate(der: SampleCertificates.names)
    #expect(certificate.commonName == "Žluťoučký")
    #expect(certificate.subjectName.texts == ["Großes Büro", "Žluťoučký"])
    #expect(certificate.keyKind == .ec(.p384))
    #expect(certificate.publicKeyHash == SampleCertificates.bytes("5ec5ded211e249f7848d82521bb29ab60165d41f"))
    #expect(certificate.serialNumber == [0x7F] + Array(repeating: 0x88, count: 19))
    #expect(certificate.notBefore == Date(timeIntervalSince1970: -631_152_000))
    #expect(certificate.notAfter == Date(timeIntervalSince1970: 2_524_608_000))
    #expect(certificate.normalizedSubjectSequence == certificate.subject)
  }

  @Test func `A certificate of version 1 has no extensions, and its negative serial number is kept`() throws {
    let certificate = try X509Certificate(der: SampleCertificates.version1)
    #expect(certificate.version == 1)
    #expect(certificate.version == 1)
    #expect(certificate.serialNumber == [0xFF, 0x7F])
    #expect(certificate.subjectKeyIdentifier == nil)
    #expect(certificate.emailAddresses.isEmpty)
    #expect(certificate.dnsNames.isEmpty)
    #expect(certificate.commonName == nil)
    #expect(certificate.subjectName.texts == ["Verkauf", "Büro", "Zürich"])
    #expect(certificate.subjectSummary == "Büro, Verkauf")
    #expect(certificate.keyKind == .ec(.p256))
    #expect(certificate.publicKeyHash == SampleCertificates.bytes("ee73ce9c2b717f009867217ad07bb5c5a5a1261c"))
    #expect(certificate.notBefore == Date(timeIntervalSince1970: 1_795_229_882))
  }

  @Test func `An unknown key algorithm and the year 9999 are accepted`() throws {
    let certificate = try X509Certificate(der: SampleCertificates.farFuture)
    #expect(certificate.keyKind == .other)
    #expect(certificate.publicKeyHash == SampleCertificates.bytes("c6db8681f9b0dd0c9674640b03b06725587ff077"))
    #expect(certificate.subjectPublicKeyInfo.parameters == nil)
    #expect(certificate.subjectPublicKeyInfo.algorithm == [0x2B, 0x65, 0x70])
    #expect(certificate.serialNumber == [0x7F] + Array(repeating: 0xFF, count: 19))
    #expect(certificate.notAfter == Date(timeIntervalSince1970: 253_402_300_799))
  }

  @Test func `Two certificates are equal if their bytes are`() throws {
    let once = try X509Certificate(der: SampleCertificates.mail)
    let again = try X509Certificate(der: SampleCertificates.mail)
    #expect(once == again)
    #expect(Set([once, again, try X509Certificate(der: SampleCertificates.names)]).count == 2)
  }
}
