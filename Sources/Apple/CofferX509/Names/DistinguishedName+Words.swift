extension DistinguishedName {
  /// Reads the normalised content of a name, as the attributes of a certificate's item have it. Nil for bytes that are no
  /// name.
  package init?(normalizedContent: [UInt8]) {
    do {
      try self.init(der: DERValue.encoding(tag: DERValue.sequence, normalizedContent))
    } catch {
      return nil
    }
  }

  /// The summary that lists show: the common name, or else the organizational unit, the organization or any other text.
  /// Nil for a name without text.
  package var summary: String? { SubjectSummary.text(of: self) }

  /// The name's parts in their order, each with the usual abbreviation of its type, or the type in dotted numbers: `CN`,
  /// `O`, `2.5.4.5`. Values that are not text are left out.
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
