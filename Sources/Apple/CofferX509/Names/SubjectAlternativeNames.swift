internal import SwiftASN1

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
