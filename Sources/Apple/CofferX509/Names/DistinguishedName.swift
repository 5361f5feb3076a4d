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
