import CofferX509
import Foundation
import Testing

@Suite struct CertificateFieldTests {
  @Test func `The draft that the other tests change is a valid certificate`() throws {
    let certificate = try X509Certificate(der: CertificateDraft().der)
    #expect(certificate.version == 3)
    #expect(certificate.keyKind == .ec(.p256))
    #expect(certificate.subjectSummary == "subject")
  }

  @Test func `Version 2 with its unique identifiers is read`() throws {
    var draft = CertificateDraft()
    draft.version = tlv(0xA0, tlv(0x02, [1]))
    draft.identifiers = tlv(0x81, [0, 1]) + tlv(0x82, [0, 2])
    #expect(try X509Certificate(der: draft.der).version == 2)
  }

  @Test func `A later version is unsupported, and an explicit default version is malformed`() {
    for (bytes, code) in [([3], .unsupported), ([0], .malformed), ([], .malformed), ([0, 2], .malformed)]
      as [([UInt8], CertificateError.Code)]
    {
      var draft = CertificateDraft()
      draft.version = tlv(0xA0, tlv(0x02, bytes))
      #expect(refusal(draft) == code, "\(bytes)")
    }
  }

  @Test(arguments: [[], [0, 1], [0xFF, 0x80], Array(repeating: 1, count: 38)] as [[UInt8]])
  func `A serial number that is empty, padded or too long is refused`(content: [UInt8]) {
    var draft = CertificateDraft()
    draft.serialNumber = tlv(0x02, content)
    #expect(refusal(draft) == .malformed)
  }

  @Test(
    arguments: [
      ("000101000000Z", 946_684_800), ("491231235959Z", 2_524_607_999), ("500101000000Z", -631_152_000),
      ("240229120000Z", 1_709_208_000), ("991231235959Z", 946_684_799),
    ] as [(String, Double)])
  func `A UTCTime is in the years 1950 to 2049`(text: String, seconds: Double) throws {
    var draft = CertificateDraft()
    draft.notBefore = utcTime(text)
    #expect(try X509Certificate(der: draft.der).notBefore.timeIntervalSince1970 == seconds)
  }

  @Test(
    arguments: [
      ("00000101000000Z", -62_167_219_200), ("00010101000000Z", -62_135_596_800), ("19000301000000Z", -2_203_891_200),
      ("20000229000000Z", 951_782_400), ("21000301000000Z", 4_107_542_400), ("99991231235959Z", 253_402_300_799),
    ] as [(String, Double)])
  func `A GeneralizedTime is in any year of the Gregorian calendar`(text: String, seconds: Double) throws {
    var draft = CertificateDraft()
    draft.notAfter = generalizedTime(text)
    #expect(try X509Certificate(der: draft.der).notAfter.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    utcTime("2001010000Z"), utcTime("200101000000+0100"), utcTime("210229000000Z"), utcTime("201301000000Z"),
    utcTime("2001010000zzZ"), generalizedTime("20500101000000"), generalizedTime("20500101000000.5Z"),
    generalizedTime("20500101000000+0100"), generalizedTime("-0500101000000Z"), generalizedTime("21000229000000Z"),
    utf8String("200101000000Z"), tlv(0x37, Array("200101000000Z".utf8)),
  ])
  func `A time with an offset, a fraction or an impossible date is refused`(time: [UInt8]) {
    var draft = CertificateDraft()
    draft.notAfter = time
    #expect(refusal(draft) == .malformed)
  }

  @Test(arguments: [
    tlv(0x30, tlv(0x30, CertificateDraft.ecPublicKey) + tlv(0x03, [0] + CertificateDraft.point)),
    tlv(0x30, tlv(0x30, CertificateDraft.ecPublicKey + CertificateDraft.p256) + tlv(0x03, [0, 2, 1])),
    tlv(0x30, tlv(0x30, CertificateDraft.ecPublicKey + CertificateDraft.p256) + tlv(0x03, [0])),
    tlv(0x30, tlv(0x30, tlv(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]) + [5, 0]) + tlv(0x03, [0, 1, 2])),
  ])
  func `A malformed key of a known algorithm leaves the other fields readable`(key: [UInt8]) throws {
    var draft = CertificateDraft()
    draft.publicKey = key
    let certificate = try X509Certificate(der: draft.der)
    #expect(certificate.keyKind == .other)
    #expect(certificate.subjectSummary == "subject")
  }

  @Test func `A key or signature whose bits are not whole bytes is refused`() {
    var draft = CertificateDraft()
    draft.signature = tlv(0x03, [1, 2])
    #expect(refusal(draft) == .malformed)
    draft = CertificateDraft()
    draft.publicKey = tlv(0x30, tlv(0x30, CertificateDraft.ecPublicKey) + tlv(0x03, [7, 0]))
    #expect(refusal(draft) == .malformed)
    draft.publicKey = tlv(0x30, tlv(0x30, CertificateDraft.ecPublicKey) + tlv(0x03, []))
    #expect(refusal(draft) == .malformed)
  }

  @Test func `An empty key identifier counts as none, and unknown extensions are ignored`() throws {
    var draft = CertificateDraft()
    draft.extensions = [
      CertificateDraft.extension(14, tlv(0x04, [])),
      CertificateDraft.extension(99, [1, 2, 3], critical: [1, 1, 0xFF]),
      // A default that is encoded explicitly, and an identifier with a component of 70 bits.
      CertificateDraft.extension(15, [], critical: [1, 1, 0]),
      tlv(0x30, tlv(0x06, [0x69] + Array(repeating: 0x81, count: 9) + [1]) + tlv(0x04, [])),
    ]
    #expect(try X509Certificate(der: draft.der).subjectKeyIdentifier == nil)
  }

  @Test(arguments: [
    [CertificateDraft.extension(14, [4, 1])], [CertificateDraft.extension(14, tlv(0x04, [1]) + [0])],
    [CertificateDraft.extension(17, [])], [CertificateDraft.extension(17, tlv(0x30, tlv(0x89, [1])))],
    [CertificateDraft.extension(17, tlv(0x30, ia5String("a@example.org")))],
    [CertificateDraft.extension(17, tlv(0x30, tlv(0xA1, tlv(0x16, [0x61]))))],
    [CertificateDraft.extension(20, []), CertificateDraft.extension(20, [])],
    [CertificateDraft.extension(20, [], critical: [1, 1, 1])], [CertificateDraft.extension(20, [], critical: [1, 0])],
    [tlv(0x30, tlv(0x06, [0x55, 0x80, 1]) + tlv(0x04, []))], [tlv(0x30, tlv(0x06, [0x55, 0x81]) + tlv(0x04, []))],
    [tlv(0x30, tlv(0x06, []) + tlv(0x04, []))], [tlv(0x31, [])],
  ])
  func `A malformed or duplicate extension is refused`(extensions: [[UInt8]]) {
    var draft = CertificateDraft()
    draft.extensions = extensions
    #expect(refusal(draft) == .malformed)
  }

  @Test func `An empty list of extensions, and anything after the list, is refused`() {
    for surplus in [tlv(0xA3, tlv(0x30, [])), tlv(0xA3, []), tlv(0xA4, tlv(0x30, [])), tlv(0x05, [])] {
      var draft = CertificateDraft()
      draft.surplus = surplus
      #expect(refusal(draft) == .malformed)
    }
  }

  @Test func `Addresses that are not text are left out of a valid list`() throws {
    var draft = CertificateDraft()
    // Its common name would serve as a host name.
    draft.subject = name()
    let names =
      tlv(0x81, [0x61, 0xE9]) + tlv(0x81, []) + tlv(0x81, Array("a@b".utf8)) + tlv(0x82, [0xFF])
      + tlv(0x87, [127, 0, 0, 1])
    draft.extensions = [CertificateDraft.extension(17, tlv(0x30, names))]
    let certificate = try X509Certificate(der: draft.der)
    #expect(certificate.emailAddresses == ["a@b"])
    #expect(certificate.dnsNames.isEmpty)
  }

  private func refusal(_ draft: CertificateDraft) -> CertificateError.Code? {
    do {
      _ = try X509Certificate(der: draft.der)
      return nil
    } catch {
      return error.code
    }
  }
}
