import CofferX509
import Testing

@Suite struct DistinguishedNameTests {
  @Test(arguments: [
    ("plain", "PLAIN"), ("  two  words\t\there ", "TWO WORDS HERE"), ("a b", "A B"), ("", ""), ("   ", ""),
    ("42 = 6 * 7", "42 = 6 * 7"), ("zZ{`", "ZZ{`"),
  ])
  func `Normalising a PrintableString ignores case and surplus blanks`(text: String, normalized: String) throws {
    let read = try DistinguishedName(der: name((organization, printableString(text))))
    #expect(read.normalizedSequence == name((organization, printableString(normalized))))
    #expect(try DistinguishedName(der: read.normalizedSequence).normalizedContent == read.normalizedContent)
  }

  @Test func `Bytes above ASCII in a PrintableString, and values of other types, are unchanged`() throws {
    let values = [
      tlv(0x13, [0xE9, 0xFA]), utf8String("a  b "), ia5String("A  b"), tlv(0x14, [0x61, 0x20]), tlv(0x02, [1]),
      tlv(0x30, []),
    ]
    for value in values {
      let bytes = name((organization, value))
      #expect(try DistinguishedName(der: bytes).normalizedSequence == bytes)
    }
  }

  @Test func `Lengths at every level shrink with their content`() throws {
    // 120 blanks make the length fields of value, attribute, set and sequence two bytes long.
    let blanks = String(repeating: " ", count: 120)
    let long = name((commonName, printableString("a\(blanks)b")), (organization, utf8String("c")))
    let read = try DistinguishedName(der: long)
    #expect(read.normalizedSequence == name((commonName, printableString("A B")), (organization, utf8String("c"))))
    #expect(read.der == long)
  }

  @Test func `Attributes of one relative name are kept together, in any order`() throws {
    let set = tlv(
      0x31, attribute(organization, printableString("b")) + attribute(commonName, printableString("a")))
    let read = try DistinguishedName(der: tlv(0x30, set))
    #expect(read.texts == ["b", "a"])
    let normalized = attribute(organization, printableString("B")) + attribute(commonName, printableString("A"))
    #expect(read.normalizedContent == tlv(0x31, normalized))
  }

  @Test func `The empty name is valid`() throws {
    let read = try DistinguishedName(der: [0x30, 0])
    #expect(read.normalizedContent.isEmpty)
    #expect(read.normalizedSequence == [0x30, 0])
    #expect(read.texts.isEmpty)
  }

  @Test(
    arguments: [
      (tlv(0x13, Array("text\0".utf8)), "text"), (tlv(0x16, Array("text".utf8)), "text"),
      (tlv(0x12, Array("42".utf8)), "42"), (tlv(0x1B, Array("é".utf8)), "é"), (tlv(0x1A, [0xE9]), "é"),
      (tlv(0x15, [0xE9]), "é"), (tlv(0x1E, [0xD8, 0x3D, 0xDC, 0x0E]), "🐎"), (tlv(0x1E, [0, 0x61, 0, 0]), "a\0"),
      (tlv(0x1C, [0, 1, 0xF4, 0x0E]), "🐎"),
      // None of these is text.
      (tlv(0x0C, [0xFF]), nil), (tlv(0x13, [0xE9]), nil), (tlv(0x1E, [0]), nil), (tlv(0x1E, [0xD8, 0]), nil),
      (tlv(0x1C, [0, 0, 0]), nil), (tlv(0x1C, [0, 0x11, 0, 0]), nil), (tlv(0x0C, []), nil), (tlv(0x0C, [0]), nil),
      (tlv(0x04, [0x61]), nil), (tlv(0x2C, tlv(0x0C, [0x61])), nil), (tlv(0x8C, [0x61]), nil),
    ] as [([UInt8], String?)])
  func `A value is text in the encoding of its type, or not text`(value: [UInt8], text: String?) throws {
    #expect(try DistinguishedName(der: name((commonName, value))).texts == (text.map { [$0] } ?? []))
  }

  @Test(
    arguments: [
      [], [0x30], [0x30, 0, 0], tlv(0x31, []), tlv(0x30, tlv(0x31, [])), tlv(0x30, tlv(0x30, [])), [0x30, 0x80, 0, 0],
      [0x10, 0], [0x30, 0x81, 0], tlv(0x30, tlv(0x31, tlv(0x30, tlv(0x06, commonName)))),
      tlv(0x30, tlv(0x31, tlv(0x30, tlv(0x06, commonName) + utf8String("a") + utf8String("b")))),
      tlv(0x30, tlv(0x31, tlv(0x30, utf8String("a") + utf8String("b")))),
      tlv(0x30, tlv(0x31, attribute(commonName, tlv(0x33, tlv(0x13, [0x61]))))),
    ] as [[UInt8]])
  func `Bytes that are not a name are malformed`(bytes: [UInt8]) {
    let error = #expect(throws: CertificateError.self) { try DistinguishedName(der: bytes) }
    #expect(error?.code == .malformed)
  }

  @Test func `A name beyond the limit is too large before it is read`() {
    let bytes = [UInt8](repeating: 0xFF, count: DistinguishedName.maximumByteCount + 1)
    let error = #expect(throws: CertificateError.self) { try DistinguishedName(der: bytes) }
    #expect(error?.code == .tooLarge)
  }
}
