internal import Crypto
internal import SwiftASN1

/// What people look at in a certificate, besides the fields by which the Keychain finds it. An extension that cannot be
/// read counts as missing.
extension X509Certificate {
  package var sha256: [UInt8] { Array(SHA256.hash(data: der)) }
  package var sha1: [UInt8] { Array(Insecure.SHA1.hash(data: der)) }

  /// What the key may be used for, in words, from the extensions keyUsage and extendedKeyUsage. Empty if there are none.
  package var usages: [String] {
    (extensionValue(KnownIdentifiers.keyUsage).flatMap { try? Self.keyUsages($0) } ?? [])
      + (extensionValue(KnownIdentifiers.extendedKeyUsage).flatMap { try? Self.extendedKeyUsages($0) } ?? [])
  }

  /// Whether the certificate may issue others, from the extension basicConstraints; nil if there is none.
  package var isAuthority: Bool? {
    extensionValue(KnownIdentifiers.basicConstraints).flatMap { try? Self.isAuthority($0) }
  }

  /// The host names, email addresses, network addresses and URIs of the extension subjectAltName.
  package var alternativeNameTexts: [String] {
    extensionValue(KnownIdentifiers.subjectAlternativeName).flatMap { try? Self.alternativeNames($0) } ?? []
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

  private func extensionValue(_ identifier: [UInt8]) -> [UInt8]? { extensions[identifier] }
}
