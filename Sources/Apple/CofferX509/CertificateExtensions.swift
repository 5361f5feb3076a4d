internal import Crypto
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

/// The e-mail addresses and host names in a subjectAltName extension.
struct SubjectAlternativeNames: Sendable, Hashable {
  private(set) var emailAddresses: [String] = []
  private(set) var dnsNames: [String] = []

  init() {}

  /// Reads the extension's value. E-mail addresses that are not ASCII and host names that are not UTF-8 are ignored.
  init(_ value: ArraySlice<UInt8>) throws(CertificateError) {
    let part = "the subjectAltName extension"
    var names = try DERFields(of: .root(of: value, part), part)
    while let name = names.next() {
      guard name.identifier.tagClass == .contextSpecific, name.identifier.tagNumber <= 8 else {
        throw CertificateError(.malformed, "\(part) has a name of an unknown kind")
      }
      switch name.identifier.tagNumber {
      case 1:
        if let text = CharacterString.ascii(try name.content(as: name.identifier, part)), !text.isEmpty {
          emailAddresses.append(text)
        }
      case 2:
        if let text = String(validating: try name.content(as: name.identifier, part), as: UTF8.self), !text.isEmpty {
          dnsNames.append(text)
        }
      default: continue
      }
    }
  }

  /// Returns true if a common name looks like a host name: labels of letters, digits, inner hyphens and `*`, the last
  /// label with at least one letter (RFC 1035, 2.3.1; RFC 3696, 2).
  static func isHostName(_ text: String) -> Bool {
    guard text.utf8.count <= 255 else { return false }
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let hyphen = UInt8(ascii: "-")
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "*") }
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    return labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
        && label.allSatisfy { isLetter($0) || isDigit($0) || $0 == hyphen }
    } && labels.last.map { $0.contains(where: isLetter) } == true
  }
}

/// What people look at in a certificate, besides the fields by which the Keychain finds it. An extension that cannot be
/// read counts as missing.
extension X509Certificate {
  package var sha256: [UInt8] { Array(SHA256.hash(data: der)) }
  package var sha1: [UInt8] { Array(Insecure.SHA1.hash(data: der)) }

  /// What the key may be used for, in words, from the extensions keyUsage and extendedKeyUsage. Empty if there are
  /// none.
  package var usages: [String] {
    (extensions[KnownIdentifiers.keyUsage].flatMap { try? Self.keyUsages($0) } ?? [])
      + (extensions[KnownIdentifiers.extendedKeyUsage].flatMap { try? Self.extendedKeyUsages($0) } ?? [])
  }

  /// Whether the certificate may issue others, from the extension basicConstraints; nil if there is none.
  package var isAuthority: Bool? {
    extensions[KnownIdentifiers.basicConstraints].flatMap { try? Self.isAuthority($0) }
  }

  /// The host names, email addresses, network addresses and URIs of the extension subjectAltName.
  package var alternativeNameTexts: [String] {
    extensions[KnownIdentifiers.subjectAlternativeName].flatMap { try? Self.alternativeNames($0) } ?? []
  }

  private static let usageNames = [
    "digital signature", "non-repudiation", "key encipherment", "data encipherment", "key agreement",
    "certificate signing", "CRL signing", "encipher only", "decipher only",
  ]

  private static func keyUsages(_ value: [UInt8]) throws(CertificateError) -> [String] {
    let part = "the keyUsage extension"
    let bits = try ASN1Node.root(of: value[...], part).content(as: .bitString, part).dropFirst()
    return usageNames.enumerated().filter { index, _ in
      index / 8 < bits.count && bits[bits.startIndex + index / 8] & (0x80 >> UInt8(index % 8)) != 0
    }.map(\.element)
  }

  private static let purposeNames: [[UInt8]: String] = {
    let prefix: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3]
    return [
      prefix + [1]: "TLS server", prefix + [2]: "TLS client", prefix + [3]: "code signing", prefix + [4]: "email",
      prefix + [8]: "time stamping", prefix + [9]: "OCSP signing", [0x55, 0x1D, 37, 0]: "any purpose",
    ]
  }()

  private static func extendedKeyUsages(_ value: [UInt8]) throws(CertificateError) -> [String] {
    let part = "the extendedKeyUsage extension"
    var purposes = try DERFields(of: .root(of: value[...], part), part)
    var names: [String] = []
    while names.count < 32, let purpose = purposes.next() {
      let identifier = try purpose.objectIdentifier(part)
      names.append(purposeNames[identifier] ?? ObjectIdentifier.dotted(identifier))
    }
    return names
  }

  private static func isAuthority(_ value: [UInt8]) throws(CertificateError) -> Bool {
    let part = "the basicConstraints extension"
    var fields = try DERFields(of: .root(of: value[...], part), part)
    guard let flag = fields.optional(.boolean) else { return false }
    return try flag.content(as: .boolean, part).first != 0
  }

  private static func alternativeNames(_ value: [UInt8]) throws(CertificateError) -> [String] {
    let part = "the subjectAltName extension"
    var names = try DERFields(of: .root(of: value[...], part), part)
    var texts: [String] = []
    while texts.count < 256, let name = names.next() {
      guard name.identifier.tagClass == .contextSpecific, case .primitive(let bytes) = name.content else { continue }
      switch name.identifier.tagNumber {
      case 1, 2, 6: if let text = String(validating: bytes, as: UTF8.self), !text.isEmpty { texts.append(text) }
      case 7: texts.append(networkAddress(Array(bytes)))
      default: continue
      }
    }
    return texts
  }

  /// Returns an IPv4 or IPv6 address in its usual form, without the abbreviation of zeros.
  private static func networkAddress(_ bytes: [UInt8]) -> String {
    if bytes.count == 16 {
      return stride(from: 0, to: 16, by: 2)
        .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
    return bytes.map { "\($0)" }.joined(separator: ".")
  }
}
