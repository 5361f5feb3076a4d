internal import SwiftASN1

/// The extensions of a certificate that a keychain looks at.
struct CertificateExtensions {
  private(set) var subjectKeyIdentifier: [UInt8]?
  private(set) var emailAddresses: [String] = []
  private(set) var dnsNames: [String] = []

  private static let keyIdentifier: ASN1ObjectIdentifier = [2, 5, 29, 14]
  private static let alternativeName: ASN1ObjectIdentifier = [2, 5, 29, 17]

  /// - Parameter fields: What follows the public key in the signed part.
  init(_ fields: [ASN1Node]) throws(CertificateError) {
    let tag = ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific)
    guard let node = fields.first(where: { $0.identifier == tag }) else { return }
    guard let list = try DERFields.children(of: node, tag, "extensions").first else {
      throw CertificateError(.malformed, "extensions")
    }
    for entry in try DERFields.children(of: list, .sequence, "extensions") {
      let parts = try DERFields.children(of: entry, .sequence, "extension")
      guard let name = parts.first, let value = parts.last, parts.count <= 3 else {
        throw CertificateError(.malformed, "extension")
      }
      let content = try DERFields.primitive(value, .octetString, "extension")
      switch try DERFields.objectIdentifier(name, "extension") {
      case Self.keyIdentifier:
        let identifier = try DERFields.parse(content, "subject key identifier")
        subjectKeyIdentifier = try DERFields.primitive(identifier, .octetString, "subject key identifier")
      case Self.alternativeName: try readNames(content)
      default: break
      }
    }
  }

  private mutating func readNames(_ content: [UInt8]) throws(CertificateError) {
    let field = "alternative names"
    for name in try DERFields.children(of: DERFields.parse(content, field), .sequence, field) {
      guard name.identifier.tagClass == .contextSpecific, case .primitive(let bytes) = name.content,
        bytes.allSatisfy({ $0 < 128 })
      else { continue }
      switch name.identifier.tagNumber {
      case 1: emailAddresses.append(String(decoding: bytes, as: UTF8.self))
      case 2: dnsNames.append(String(decoding: bytes, as: UTF8.self))
      default: break
      }
    }
  }
}
