internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal

/// An item's value in a form that a terminal can show. Any app that may write the item chooses its bytes.
enum TerminalValue {
  /// Writes a value to standard output: byte for byte, or on a terminal, unless `isRaw` is true, with escapes and a
  /// newline.
  static func show(_ value: Data, isRaw: Bool) throws {
    guard Terminal.isOutput && !isRaw else { return try Terminal.write(value) }
    let (text, isEscaped) = text(of: value)
    try Output.line(text)
    if isEscaped {
      Terminal.printNote(
        "The value has control characters or is not text, so it is shown with escapes; to get it as it is, use --raw")
    }
  }

  /// Returns a value as text that cannot control the terminal, and whether it has escapes. Line feeds and tabs are
  /// kept: a value can have lines. If it is not UTF-8, every byte that is no printable ASCII is escaped: `\xFF`.
  static func text(of value: Data) -> (text: String, isEscaped: Bool) {
    guard let known = String(validating: value, as: UTF8.self) else { return (bytewise(value), true) }
    var text = ""
    var isEscaped = false
    for scalar in known.unicodeScalars {
      if scalar.isSafeForTerminal || scalar == "\n" || scalar == "\t" {
        text.unicodeScalars.append(scalar)
      } else {
        text += String(scalar).sanitizedForTerminal()
        isEscaped = true
      }
    }
    return (text, isEscaped)
  }

  private static func bytewise(_ value: Data) -> String {
    var text = ""
    for byte in value {
      switch byte {
      case 9, 10, 32...126: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
      }
    }
    return text
  }
}
