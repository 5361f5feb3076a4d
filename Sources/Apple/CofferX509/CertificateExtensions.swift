internal import SwiftASN1

/// The certificate extensions that the Keychain reads, and the bytes of all.
struct CertificateExtensions {
  private(set) var subjectKeyIdentifier: [UInt8]?
  private(set) var alternativeNames = SubjectAlternativeNames()
  /// The value of each extension by the content bytes of its identifier.
  private(set) var values: [[UInt8]: [UInt8]] = [:]

  /// Reads the extensions if they are the next field of the certificate's body; otherwise there are none.
  init(_ body: inout DERFields) throws(CertificateError) {
    let tag = ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)
    guard let tagged = body.optional(tag) else { return }
    let part = "the list of extensions"
    var content = try DERFields(of: tagged, as: tag, part)
    var list = try DERFields(of: content.required(), part)
    try content.end()

    var next: ASN1Node? = try list.required()
    while let node = next {
      let (identifier, value) = try Self.identifierAndValue(of: node)
      guard values.updateValue(Array(value), forKey: identifier) == nil else {
        throw CertificateError(.malformed, "an extension occurs twice")
      }
      switch identifier {
      case KnownIdentifiers.subjectKeyIdentifier:
        let part = "the subjectKeyIdentifier extension"
        let bytes = try ASN1Node.root(of: value, part).content(as: .octetString, part)
        subjectKeyIdentifier = bytes.isEmpty ? nil : Array(bytes)
      case KnownIdentifiers.subjectAlternativeName:
        alternativeNames = try SubjectAlternativeNames(value)
      default: break
      }
      next = list.next()
    }
  }

  private static func identifierAndValue(
    of node: ASN1Node
  ) throws(CertificateError) -> ([UInt8], ArraySlice<UInt8>) {
    let part = "an extension"
    var fields = try DERFields(of: node, part)
    let identifier = try fields.required().objectIdentifier(part)
    if let critical = fields.optional(.boolean) {
      let byte = Array(try critical.content(as: .boolean, part))
      guard byte == [0] || byte == [0xFF] else {
        throw CertificateError(.malformed, "\(part)'s critical flag is not a BOOLEAN")
      }
    }
    let value = try fields.required().content(as: .octetString, part)
    try fields.end()
    return (identifier, value)
  }
}
