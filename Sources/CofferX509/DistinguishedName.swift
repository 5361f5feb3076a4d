internal import SwiftASN1

/// An attribute of a distinguished name (X.520).
package enum NameAttribute: Sendable {
  case commonName
  case organisationalUnit
  case organisation
  case emailAddress

  fileprivate var objectIdentifier: ASN1ObjectIdentifier {
    switch self {
    case .commonName: [2, 5, 4, 3]
    case .organisationalUnit: [2, 5, 4, 11]
    case .organisation: [2, 5, 4, 10]
    case .emailAddress: [1, 2, 840, 113_549, 1, 9, 1]
    }
  }
}

/// A distinguished name: who issued a certificate, or whom it is about.
package struct DistinguishedName: Hashable, Sendable {
  private struct Value: Hashable, Sendable {
    let attribute: ASN1ObjectIdentifier
    /// Nil for a value that is no text.
    let text: String?
  }

  /// The name as it stands in the certificate, a SEQUENCE in DER.
  package let der: [UInt8]
  /// The content of the SEQUENCE with its texts normalised, by which Keychain compares names (`kSecAttrIssuer`,
  /// `kSecAttrSubject`).
  package let normalizedContent: [UInt8]
  private let values: [Value]

  init(_ node: ASN1Node, _ field: String) throws(CertificateError) {
    der = Array(node.encodedBytes)
    var values: [Value] = []
    var content: [UInt8] = []
    for set in try DERFields.children(of: node, .sequence, field) {
      var normalized: [UInt8] = []
      for pair in try DERFields.children(of: set, .set, field) {
        let parts = try DERFields.children(of: pair, .sequence, field)
        guard parts.count == 2 else { throw CertificateError(.malformed, field) }
        let attribute = try DERFields.objectIdentifier(parts[0], field)
        values.append(Value(attribute: attribute, text: NameText.decode(parts[1])))
        normalized += Self.element(0x30, Array(parts[0].encodedBytes) + NameText.normalized(parts[1]))
      }
      content += Self.element(0x31, normalized)
    }
    self.values = values
    normalizedContent = content
  }

  /// The normalised name as a SEQUENCE in DER.
  package var normalizedSequence: [UInt8] { Self.element(0x30, normalizedContent) }

  /// The texts of one attribute, in their order.
  package func values(of attribute: NameAttribute) -> [String] {
    values.filter { $0.attribute == attribute.objectIdentifier }.compactMap(\.text)
  }

  /// Every text of the name, in its order.
  package var texts: [String] { values.compactMap(\.text) }

  fileprivate static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    guard content.count > 127 else { return [tag, UInt8(content.count)] + content }
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}

/// The texts of a name, in the character sets that certificates have.
private enum NameText {
  static func decode(_ node: ASN1Node) -> String? {
    guard case .primitive(let bytes) = node.content else { return nil }
    switch node.identifier {
    case .utf8String: return String(validating: bytes, as: UTF8.self)
    case .printableString, .ia5String, .numericString:
      return bytes.allSatisfy { $0 < 128 } ? String(decoding: bytes, as: UTF8.self) : nil
    // By the letter of T.61 it would be another set; certificates that have such strings mean Latin-1.
    case .teletexString:
      return String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    case .bmpString:
      guard bytes.count.isMultiple(of: 2) else { return nil }
      let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return String(validating: units, as: UTF16.self)
    case .universalString:
      guard bytes.count.isMultiple(of: 4) else { return nil }
      let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { start in
        bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      return String(validating: units, as: UTF32.self)
    default: return nil
    }
  }

  /// Printable text in capitals, with single spaces and none at the ends, as Apple compares names; everything else as it is.
  static func normalized(_ node: ASN1Node) -> [UInt8] {
    guard node.identifier == .printableString, let text = decode(node) else { return Array(node.encodedBytes) }
    let words = text.split(separator: " ").joined(separator: " ").uppercased()
    return DistinguishedName.element(0x13, Array(words.utf8))
  }
}
