internal import CofferCrypto
internal import CofferSystem

/// What the options of a command of `security` say.
struct SecurityArguments {
  /// The texts of attributes, by the letters of their options.
  var texts: [Character: String] = [:]
  var printsPassword = false
  var showsPassword = false
  var updates = false
  /// Whether there were options for the list of programs that may use an item without a question.
  var hasAccessList = false
  /// The password of a new item; nil if none is given.
  var password: [UInt8]?
  var asksForPassword = false
  let keychains: [String]

  init(keychains: [String]) { self.keychains = keychains }

  /// Takes an option. Returns false for a password in hexadecimal that is none.
  mutating func add(_ option: ShortOptions.Option, of kind: PasswordKind) -> Bool {
    switch (option.letter, option.value) {
    case ("w", nil): printsPassword = true
    case ("g", _): showsPassword = true
    case ("U", _): updates = true
    case ("A", _), ("T", _): hasAccessList = true
    case ("X", let text?):
      CurrentProcess.hideInArguments(text)
      guard let bytes = bytes(hexadecimal: text.lowercased()) else { return false }
      password = bytes
    case (let letter, let text?) where letter == "w" || letter == "p" && kind == .generic:
      CurrentProcess.hideInArguments(text)
      password = Array(text.utf8)
    case (let letter, let text?): texts[letter] = text
    default: break
    }
    return true
  }
}
