package import CofferCrypto

/// What a new machine needs to ask for its enrolment, in one line: the code of an invitation and the repository's
/// address.
///
/// The text is `PAIR1.`, the code as ``InvitationCode/text``, a dot, a checksum of the address in hexadecimal, a dot
/// and the address. The code is the secret of the token, and has a checksum of its own.
package struct PairingToken: Sendable {
  package let code: InvitationCode
  /// The URL or path of the repository, as the inviter has it. It may come from anybody: whoever uses it checks it.
  package let address: String

  /// The beginning of the text.
  package static let prefix = "PAIR1."
  /// The longest text, in bytes.
  package static let maximumByteCount = 128 + Limits.urlByteCount
  private static let checkByteCount = 4

  /// The reason why a text is not a token.
  package typealias ParseError = TypedSecret.ParseError

  /// Throws `malformed` for an address that is empty or too long, has a control character, or begins or ends with a
  /// space.
  package init(_ code: InvitationCode, address: String) throws(ParseError) {
    guard (1...Limits.urlByteCount).contains(address.utf8.count),
      address.utf8.first != UInt8(ascii: " "), address.utf8.last != UInt8(ascii: " "),
      !address.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) })
    else { throw .malformed }
    (self.code, self.address) = (code, address)
  }

  /// Reads a token. Tabs and line ends are ignored, which a terminal or a mail program puts into a long line, and
  /// spaces around it. Throws `mistyped` if one of the checksums does not match.
  package init(parsing text: SecretText) throws(ParseError) {
    guard text.count <= Self.maximumByteCount else { throw .malformed }
    let space = UInt8(ascii: " ")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    defer { bytes.wipe() }
    unsafe text.withBytes { text in
      for index in text.indices {
        let byte = unsafe text[index]
        if !"\t\r\n".utf8.contains(byte), byte != space || !bytes.isEmpty { bytes.append(byte) }
      }
    }
    while bytes.last == space { bytes.removeLast() }
    let dot = UInt8(ascii: ".")
    guard Self.isPrefix(of: bytes), let end = bytes[Self.prefix.utf8.count...].firstIndex(of: dot) else {
      throw .malformed
    }
    let code = try InvitationCode(parsing: SecretText(copying: bytes[Self.prefix.utf8.count..<end]))
    let rest = bytes[(end + 1)...].split(separator: dot, maxSplits: 1, omittingEmptySubsequences: false)
    guard rest.count == 2, let address = String(validating: rest[1], as: UTF8.self) else { throw .malformed }
    guard String(decoding: rest[0], as: UTF8.self).lowercased() == Self.check(of: address) else { throw .mistyped }
    try self.init(code, address: address)
  }

  /// Whether a text begins as tokens do, right or mistyped.
  package static func isMeant(by text: some StringProtocol) -> Bool { isPrefix(of: Array(text.utf8)) }

  private static func isPrefix(of bytes: [UInt8]) -> Bool {
    String(decoding: bytes.prefix(prefix.utf8.count), as: UTF8.self).uppercased() == prefix
  }

  /// The token as one line.
  package var text: SecretText {
    let code = code.text
    let rest = ".\(Self.check(of: address)).\(address)"
    return SecretText(capacity: Self.prefix.utf8.count + code.count + rest.utf8.count) { text in
      for byte in Self.prefix.utf8 { text.append(byte) }
      text.append(code)
      for byte in rest.utf8 { text.append(byte) }
    }
  }

  private static func check(of address: String) -> String {
    hexadecimal(Hash.digest(Array(address.utf8), domain: .pairingCheck).bytes.prefix(checkByteCount))
  }
}
