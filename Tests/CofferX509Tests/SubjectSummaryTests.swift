import CofferX509
import Testing

@Suite struct SubjectSummaryTests {
  @Test func `The common name comes before unit, organization and the rest`() throws {
    let unit = (organizationalUnit, utf8String("unit"))
    let company = (organization, utf8String("company"))
    let city = (locality, utf8String("city"))
    #expect(try summary(name(city, (commonName, utf8String("name")), unit, company)) == "name")
    #expect(try summary(name(company, unit, city)) == "unit")
    #expect(try summary(name(city, company)) == "company")
    #expect(try summary(name(city)) == "city")
  }

  @Test func `Several values of the best kind are listed last first`() throws {
    let units = name(
      (organizationalUnit, utf8String("a")), (organization, utf8String("o")), (organizationalUnit, utf8String("b")))
    #expect(try summary(units) == "b, a")
    #expect(try summary(name((country, printableString("CH")), (emailAddress, ia5String("a@b")))) == "a@b, CH")
  }

  @Test func `A description follows a common name, and without one it is a value like others`() throws {
    let first = (descriptionAttribute, utf8String("first"))
    let second = (descriptionAttribute, utf8String("second"))
    #expect(try summary(name(first, (commonName, utf8String("name")), second)) == "name (second, first)")
    #expect(try summary(name(first, (organization, utf8String("company")))) == "company")
    #expect(try summary(name((country, printableString("CH")), first)) == "first, CH")
  }

  @Test func `A value that is empty or not text is ignored`() throws {
    let subject = name(
      (commonName, utf8String("")), (organizationalUnit, tlv(0x0C, [0xFF])), (organization, utf8String("o")))
    #expect(try summary(subject) == "o")
  }

  @Test func `The summary of a subject without text is the first address, then the first host name`() throws {
    let host = tlv(0x82, Array("host.example".utf8))
    let address = tlv(0x81, Array("a@example.org".utf8))
    #expect(try summary(name(), alternativeNames: host + address + host) == "a@example.org")
    #expect(try summary(name(), alternativeNames: host) == "host.example")
    #expect(try summary(name()) == nil)
  }

  @Test func `The last of several common names is the common name`() throws {
    var draft = CertificateDraft()
    draft.subject = name((commonName, utf8String("general")), (commonName, utf8String("particular")))
    let certificate = try X509Certificate(der: draft.der)
    #expect(certificate.commonName == "particular")
    #expect(certificate.subjectSummary == "particular, general")
  }

  @Test(arguments: [
    ("example.org", true), ("*.example.org", true), ("3com.example", true), ("a-b.c", true), ("localhost", true),
    ("Erika Mustermann", false), ("", false), ("example.org.", false), (".org", false), ("-a.org", false),
    ("a-.org", false), ("127.0.0.1", false), ("zürich.ch", false), (String(repeating: "a", count: 64) + ".b", false),
    (String(repeating: "a", count: 63) + ".b", true), (String(repeating: "a.", count: 128) + "b", false),
  ])
  func `A common name that looks like a host name is a host name`(text: String, isHostName: Bool) throws {
    var draft = CertificateDraft()
    draft.subject = name((commonName, utf8String(text)))
    #expect(try X509Certificate(der: draft.der).dnsNames == (isHostName ? [text] : []))
  }

  private func summary(_ subject: [UInt8], alternativeNames: [UInt8] = []) throws -> String? {
    var draft = CertificateDraft()
    draft.subject = subject
    if !alternativeNames.isEmpty { draft.extensions = [CertificateDraft.extension(17, tlv(0x30, alternativeNames))] }
    return try X509Certificate(der: draft.der).subjectSummary
  }
}
