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
    guard let given = ShortOptions(words, known: options) else { return nil }
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
