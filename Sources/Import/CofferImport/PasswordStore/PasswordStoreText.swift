internal import CofferSystem

/// The contents of an entry of pass: the password in the first line, and anything after it.
package struct PasswordStoreText {
  /// The password; the whole contents of a binary file.
  package let password: [UInt8]
  /// What follows the first line, byte for byte.
  package let rest: [UInt8]
  /// The text after the first key of each kind that pass's extensions know.
  package private(set) var username = ""
  package private(set) var oneTimeCode: String?

  package init(_ contents: [UInt8]) {
    // A key or an image that was stored with pass or gopass is no text.
    guard !contents.contains(0), let text = String(validating: contents, as: UTF8.self) else {
      password = contents
      rest = []
      return
    }
    let newline = UInt8(ascii: "\n")
    let end = contents.firstIndex(of: newline) ?? contents.endIndex
    var password = Array(contents[..<end])
    rest = Array(contents[end...].dropFirst())
    let lines = text.utf8.split(separator: newline, omittingEmptySubsequences: false).map { String($0) ?? "" }
    // The form of gopass 1.9 to 1.10, whose password is a header. The headers end at an empty line.
    var hasHeader = lines.first == "GOPASS-SECRET-1.0"
    for line in lines.dropFirst() {
      if line.isEmpty || line == "\r" { hasHeader = false }
      if line.hasPrefix("otpauth://"), oneTimeCode == nil { oneTimeCode = Self.trimmed(line) }
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = Self.trimmed(String(line.utf8[colon...].dropFirst()) ?? "")
      switch line[..<colon].lowercased() {
      case "password" where hasHeader:
        password = Array(value.utf8)
        hasHeader = false
      case "login", "user", "username": if username.isEmpty { username = value }
      case "otpauth": if oneTimeCode == nil { oneTimeCode = Self.trimmed(line) }
      case "totp": if oneTimeCode == nil, value.hasPrefix("otpauth://") { oneTimeCode = value }
      default: break
      }
    }
    self.password = password
  }

  private static func trimmed(_ text: String) -> String {
    let isSpace: (UInt8) -> Bool = { $0 == 32 || $0 == 9 || $0 == 13 }
    var bytes = text.utf8.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
    return String(bytes) ?? ""
  }
}
