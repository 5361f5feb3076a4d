internal import SwiftASN1

/// An X.501 distinguished name: the subject or the issuer of a certificate.
package struct DistinguishedName: Sendable, Hashable {
  /// One attribute, such as the common name.
  struct Attribute: Sendable, Hashable {
    /// The content bytes of its object identifier.
    let type: [UInt8]
    /// Its value as text; nil if it is not readable text.
    let text: String?
  }

  /// The size limit of a name, in bytes of DER: the same as for a certificate.
  package static let maximumByteCount = X509Certificate.maximumByteCount

  /// The DER as read: a SEQUENCE with its tag and length.
  package let der: [UInt8]
  /// The attributes in their order, including all attributes of relative names with several of them.
  let attributes: [Attribute]

  /// The content of Apple's normalised sequence, without tag and length: the value of a certificate's `kSecAttrSubject`
  /// and `kSecAttrIssuer`, compared with the names in `kSecMatchIssuers`.
  ///
  /// Follows Security's `SecDistinguishedNameCopyNormalizedContent`: in each PrintableString, `a` to `z` become upper
  /// case, spaces and tabs at both ends are removed, each inner run of them becomes one space, and lengths are
  /// adjusted. Values of other types (also UTF8String), the types and the order stay unchanged.
  package let normalizedContent: [UInt8]

  /// The normalised content with the SEQUENCE's tag and length, as `SecCertificateCopyNormalizedSubjectSequence`
  /// returns it.
  package var normalizedSequence: [UInt8] { DERValue.encoding(tag: DERValue.sequence, normalizedContent) }

  /// The values that can be read as text, in order.
  package var texts: [String] { attributes.compactMap(\.text) }

  /// Reads a name on its own, as in a `kSecMatchIssuers` query. Throws `tooLarge` beyond `maximumByteCount`, and
  /// `malformed` if the bytes are not exactly one DER name, or a relative name has no attributes.
  package init(der: [UInt8]) throws(CertificateError) {
    guard der.count <= Self.maximumByteCount else {
      throw CertificateError(.tooLarge, "the name is longer than \(Self.maximumByteCount) bytes")
    }
    try self.init(.root(of: der[...], "the name"), "the name")
  }

  init(_ node: ASN1Node, _ part: String) throws(CertificateError) {
    var attributes: [Attribute] = []
    var normalized: [UInt8] = []
    var relativeNames = try DERFields(of: node, part)
    while let relativeName = relativeNames.next() {
      // The order within a SET is not checked: names with another order are in use, and their bytes must stay
      // unchanged.
      var members = try DERFields(of: relativeName, as: .set, part)
      var member: ASN1Node? = try members.required()
      var content: [UInt8] = []
      while let attribute = member {
        var fields = try DERFields(of: attribute, part)
        let type = try fields.required()
        let value = try fields.required()
        try fields.end()
        attributes.append(Attribute(type: try type.objectIdentifier(part), text: CharacterString.text(of: value)))
        let pair = try Array(type.encodedBytes) + Self.normalized(value, part)
        content += DERValue.encoding(tag: DERValue.sequence, pair)
        member = members.next()
      }
      normalized += DERValue.encoding(tag: DERValue.set, content)
    }
    der = Array(node.encodedBytes)
    self.attributes = attributes
    normalizedContent = normalized
  }

  /// Returns the texts of the attributes of one type, in order.
  func texts(of type: [UInt8]) -> [String] {
    attributes.compactMap { $0.type == type ? $0.text : nil }
  }

  private static func normalized(_ value: ASN1Node, _ part: String) throws(CertificateError) -> [UInt8] {
    guard value.identifier == .printableString else { return Array(value.encodedBytes) }
    let words = try value.content(as: .printableString, part).split {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
    }
    let upper = words.map { word in
      word.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
    }
    return DERValue.encoding(tag: DERValue.printableString, Array(upper.joined(separator: [UInt8(ascii: " ")])))
  }
}

extension DistinguishedName {
  /// Reads the normalised content of a name, as the attributes of a certificate's item have it. Nil for bytes that are
  /// no name.
  package init?(normalizedContent: [UInt8]) {
    do {
      try self.init(der: DERValue.encoding(tag: DERValue.sequence, normalizedContent))
    } catch {
      return nil
    }
  }

  /// The summary that lists show: the common name, or else the organizational unit, the organization or any other text.
  /// Nil for a name without text.
  ///
  /// As Apple's `SecCertificateCopySubjectSummary` defines it: the last value first, and the descriptions in
  /// parentheses after a common name.
  package var summary: String? {
    func list(_ texts: [String]) -> String { texts.reversed().joined(separator: ", ") }
    let commonNames = texts(of: KnownIdentifiers.commonName)
    let descriptions = texts(of: KnownIdentifiers.description)
    if !commonNames.isEmpty, !descriptions.isEmpty { return "\(list(commonNames)) (\(list(descriptions)))" }
    let units = texts(of: KnownIdentifiers.organizationalUnit)
    let best = [commonNames, units, texts(of: KnownIdentifiers.organization), texts].first { !$0.isEmpty }
    return best.map(list)
  }

  /// The name's parts in their order, each with the usual abbreviation of its type, or the type in dotted numbers:
  /// `CN`, `O`, `2.5.4.5`. Values that are not text are left out.
  package var parts: [(type: String, text: String)] {
    attributes.compactMap { attribute in
      attribute.text.map { (ObjectIdentifier.shortName(of: attribute.type), $0) }
    }
  }

  /// The parts in one line: `CN=Jane Doe, O=Example`.
  package var line: String { parts.map { "\($0.type)=\($0.text)" }.joined(separator: ", ") }
}

enum ObjectIdentifier {
  private static let shortNames: [[UInt8]: String] = [
    [0x55, 4, 3]: "CN", [0x55, 4, 4]: "SN", [0x55, 4, 5]: "serialNumber", [0x55, 4, 6]: "C", [0x55, 4, 7]: "L",
    [0x55, 4, 8]: "ST", [0x55, 4, 9]: "street", [0x55, 4, 10]: "O", [0x55, 4, 11]: "OU", [0x55, 4, 12]: "title",
    [0x55, 4, 13]: "description", [0x55, 4, 42]: "GN", KnownIdentifiers.emailAddress: "emailAddress",
    [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 1]: "UID",
    [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 25]: "DC",
  ]

  static func shortName(of content: [UInt8]) -> String { shortNames[content] ?? dotted(content) }

  /// Returns the dotted form of an identifier's content bytes: `2.5.4.3`. A number beyond 64 bits is written as "?".
  static func dotted(_ content: [UInt8]) -> String {
    var numbers: [String] = []
    var number: UInt64? = 0
    for byte in content {
      number = number.flatMap { $0 >> 57 == 0 ? $0 << 7 | UInt64(byte & 0x7F) : nil }
      guard byte < 0x80 else { continue }
      if numbers.isEmpty {
        let first = min((number ?? 80) / 40, 2)
        numbers = ["\(first)", number.map { "\($0 - first * 40)" } ?? "?"]
      } else {
        numbers.append(number.map { "\($0)" } ?? "?")
      }
      number = 0
    }
    return numbers.joined(separator: ".")
  }
}

/// Reads ASN.1 character strings like Apple's Security framework: T61String, VideotexString and VisibleString as
/// Latin-1, GeneralString as UTF-8, BMPString as big-endian UTF-16. One trailing zero byte is dropped, except from
/// UTF-16. Unlike Apple, which reads UniversalString as UTF-8, it is read as UTF-32, as X.680 defines it.
enum CharacterString {
  /// Returns the text; nil if the value is not a character string, is empty, or contains bytes that its type does not
  /// allow.
  static func text(of node: ASN1Node) -> String? {
    guard case .primitive(let bytes) = node.content else { return nil }
    let trimmed = bytes.last == 0 ? bytes.dropLast() : bytes
    let text: String? =
      switch node.identifier {
      case .printableString, .ia5String, .numericString: ascii(trimmed)
      case .utf8String, .generalString: String(validating: trimmed, as: UTF8.self)
      case .teletexString, .videotexString, .visibleString: latin1(trimmed)
      case .bmpString: utf16(bytes)
      case .universalString: utf32(bytes)
      default: nil
      }
    guard let text, !text.isEmpty else { return nil }
    return text
  }

  /// Returns the text if all bytes are ASCII; otherwise nil.
  static func ascii(_ bytes: ArraySlice<UInt8>) -> String? {
    bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
  }

  private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    return String(validating: units(of: bytes, byteCount: 2).map { UInt16($0) }, as: UTF16.self)
  }

  private static func utf32(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count.isMultiple(of: 4) else { return nil }
    return String(validating: units(of: bytes, byteCount: 4), as: UTF32.self)
  }

  private static func units(of bytes: ArraySlice<UInt8>, byteCount: Int) -> [UInt32] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: byteCount).map { start in
      bytes[start..<(start + byteCount)].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
