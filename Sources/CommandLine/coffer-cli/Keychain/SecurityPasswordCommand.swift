internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem

/// A command of `security` that finds, adds or deletes a password.
struct SecurityPasswordCommand {
  enum Verb: String, CaseIterable { case find, add, delete }

  let verb: Verb
  let kind: PasswordKind

  static let all = Verb.allCases.flatMap { verb in PasswordKind.allCases.map { Self(verb: verb, kind: $0) } }

  private init(verb: Verb, kind: PasswordKind) {
    self.verb = verb
    self.kind = kind
  }

  /// Creates the command of a name such as `find-generic-password`; nil for another one.
  init?(name: String) {
    guard let command = Self.all.first(where: { $0.name == name }) else { return nil }
    self = command
  }

  var name: String { "\(verb.rawValue)-\(kind.rawValue)" }

  var usage: String {
    let place = kind == .generic ? "-s service" : "-s server"
    return switch verb {
    case .find: "Usage: \(name) [-a account] [\(place)] [options...] [-g] [-w] [keychain...]"
    case .add: "Usage: \(name) -a account \(place) [-w password] [options...] [keychain]"
    case .delete: "Usage: \(name) [-a account] [\(place)] [options...] [keychain...]"
    }
  }

  /// The options, and what they are, for people.
  var optionWords: [(letter: Character, words: String)] {
    let names: [Character: String] = [
      "a": "account", "c": "creator (four characters)", "C": "type (four characters)", "d": "security domain",
      "D": "kind", "G": "generic attribute", "j": "comment", "l": "label", "s": kind == .generic ? "service" : "server",
      "p": kind == .internet ? "path" : "password, as -w", "P": "port number", "r": "protocol (four characters)",
      "t": "authentication type (four characters)", "g": "print the password on standard error, too",
      "w": verb == .add ? "password; as the last option, it is asked for" : "print the password only",
      "X": "password in hexadecimal", "U": "update the item if it exists",
      "A": "no effect here: access groups decide which apps read an item", "T": "no effect here, as -A",
    ]
    return options.filter { $0 != ":" }.compactMap { letter in names[letter].map { (letter: letter, words: $0) } }
  }

  /// The options as `getopt` takes them.
  private var options: String {
    switch (verb, kind) {
    case (.find, .generic): "a:c:C:D:G:j:l:s:wg"
    case (.find, .internet): "a:c:C:d:D:j:l:p:P:r:s:t:wg"
    case (.add, .generic): "a:c:C:D:G:j:l:s:p:w:X:UAT:"
    case (.add, .internet): "a:c:C:d:D:j:l:p:P:r:s:t:w:X:UAT:"
    case (.delete, .generic): "a:c:C:D:G:j:l:s:"
    case (.delete, .internet): "a:c:C:d:D:j:l:p:P:r:s:t:"
    }
  }

  /// Reads the words of the command. Nil if they are not as the command takes them. A password is overwritten in the
  /// arguments of this process.
  func arguments(of words: [String]) -> SecurityArguments? {
    guard let given = ShortOptions(words, letters: options) else { return nil }
    var arguments = SecurityArguments(keychains: given.operands)
    for option in given.options { guard arguments.add(option, of: kind) else { return nil } }
    if let letter = given.incomplete {
      guard verb == .add, letter == "w" || letter == "p" && kind == .generic else { return nil }
      arguments.asksForPassword = true
    }
    guard verb != .add || arguments.texts["a"] != nil && arguments.texts["s"] != nil && given.operands.count <= 1,
      !given.operands.contains("")
    else { return nil }
    return arguments
  }
}

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

/// An item as macOS's `security` prints it.
enum SecurityListing {
  /// Returns the lines of an item without its password. The keychain is the folder of the vault.
  static func lines<Item: PasswordItem>(of found: StoredItem<Item>, in folder: String) -> [String] {
    let attributes = found.item._fields.attributes
    var lines = [
      "keychain: \(buffer(Array(folder.utf8)))", "version: 512", "class: \"\(Item._classCode)\"", "attributes:",
      line("0x00000007 ", "blob", blob(attributes[.label])), line("0x00000008 ", "blob", none),
    ]
    let dates = ["cdat": found.created, "mdat": found.modified]
    for (code, type, attribute) in columns[Item._classCode] ?? [] {
      let text =
        if let date = dates[code] {
          buffer(Array(timestamp(date).utf8) + [0])
        } else if let attribute {
          words(attribute, attributes[attribute], of: type)
        } else {
          none
        }
      lines.append(line("\"\(code)\"", type, text))
    }
    return lines
  }

  private static let none = "<NULL>"

  private static func line(_ name: String, _ type: String, _ text: String) -> String { "    \(name)<\(type)>=\(text)" }

  private typealias Column = (code: String, type: String, attribute: AttributeCode?)

  /// The attributes of each class in their order. A vault has no value for some.
  private static let columns: [String: [Column]] = [
    "genp": [
      ("acct", "blob", .account), ("cdat", "timedate", nil), ("crtr", "uint32", .creator), ("cusi", "sint32", nil),
      ("desc", "blob", .itemDescription), ("gena", "blob", .generic), ("icmt", "blob", .comment),
      ("invi", "sint32", .isInvisible), ("mdat", "timedate", nil), ("nega", "sint32", .isNegative),
      ("prot", "blob", nil), ("scrp", "sint32", nil), ("svce", "blob", .service), ("type", "uint32", .type),
    ],
    "inet": [
      ("acct", "blob", .account), ("atyp", "blob", .authenticationType), ("cdat", "timedate", nil),
      ("crtr", "uint32", .creator), ("cusi", "sint32", nil), ("desc", "blob", .itemDescription),
      ("icmt", "blob", .comment), ("invi", "sint32", .isInvisible), ("mdat", "timedate", nil),
      ("nega", "sint32", .isNegative), ("path", "blob", .path), ("port", "uint32", .port), ("prot", "blob", nil),
      ("ptcl", "uint32", .protocol), ("scrp", "sint32", nil), ("sdmn", "blob", .securityDomain),
      ("srvr", "blob", .server), ("type", "uint32", .type),
    ],
  ]

  private static func words(_ code: AttributeCode, _ value: AttributeValue?, of type: String) -> String {
    switch code {
    case .port: buffer(bigEndian(value?.number ?? 0))
    case .protocol: buffer(value?.text.map { Array($0.utf8) } ?? bigEndian(0))
    default: type == "blob" ? blob(value) : value?.number.map { buffer(bigEndian($0)) } ?? none
    }
  }

  private static func blob(_ value: AttributeValue?) -> String {
    guard let bytes = value?.matchBytes, !bytes.isEmpty else { return none }
    return buffer(bytes)
  }

  private static func bigEndian(_ number: Int64) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * Int64($0))) }
  }

  /// Returns a date as a keychain stores it: `20261124130709Z`.
  private static func timestamp(_ date: Date) -> String {
    date.formatted(.iso8601).filter { $0.isNumber || $0 == "Z" }
  }

  /// Returns bytes in quotes, with escapes in octal; if there is any, in hexadecimal first.
  static func buffer(_ bytes: some Collection<UInt8>) -> String {
    func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\") }
    let hasText = bytes.contains(where: isPlain)
    var text = ""
    if !bytes.allSatisfy(isPlain) {
      text = "0x" + hexadecimal(Array(bytes)).uppercased() + (hasText ? "  " : " ")
    }
    guard hasText else { return text }
    let escaped = bytes.map { byte in
      isPlain(byte) ? String(Unicode.Scalar(byte)) : "\\\(byte >> 6 & 7)\(byte >> 3 & 7)\(byte & 7)"
    }
    return "\(text)\"\(escaped.joined())\""
  }

  /// Returns a password as `-w` prints it: as text or, if a byte is not printable, in hexadecimal.
  static func password(_ value: Data) -> String {
    value.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: value, as: UTF8.self) : hexadecimal(Array(value))
  }
}
