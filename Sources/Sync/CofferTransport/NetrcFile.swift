/// The file `~/.netrc` with the passwords of hosts, as ftp, curl and git read it.
struct NetrcFile {
  private struct Entry {
    /// Nil for `default`.
    var machine: String?
    var login: String?
    var password: String?
  }

  private let entries: [Entry]

  /// Reads the contents of a file. Words that are unknown, and macros, are skipped.
  init(_ bytes: [UInt8]) {
    var words = Words(String(decoding: bytes, as: UTF8.self))
    var entries: [Entry] = []
    while let word = words.next() {
      switch word {
      case "machine": if let name = words.next() { entries.append(Entry(machine: name.lowercased())) }
      case "default": entries.append(Entry())
      case "login", "password", "account":
        guard let value = words.next(), !entries.isEmpty else { continue }
        if word == "login" { entries[entries.count - 1].login = value }
        if word == "password" { entries[entries.count - 1].password = value }
      case "macdef": words.skipMacro()
      default: continue
      }
    }
    self.entries = entries
  }

  /// Returns the first entry for a host, without its port, that has the user name, nil for any. It may be the entry for
  /// all other hosts.
  func credential(for host: String, user: String?) -> Credential? {
    let host = host.lowercased()
    for entry in entries where entry.machine == nil || entry.machine == host {
      guard let password = entry.password, let name = entry.login ?? user, user == nil || user == name else { continue }
      return Credential(user: name, password: password)
    }
    return nil
  }
}

/// Words that white space separates. A word in quotation marks may contain white space, and a backslash in it protects the
/// next character. Outside of these, a `#` at the beginning of a word begins a comment.
private struct Words {
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) { rest = text[...].unicodeScalars }

  mutating func next() -> String? {
    while let first = rest.first {
      if first.properties.isWhitespace {
        rest.removeFirst()
      } else if first == "#" {
        rest = rest.drop { $0 != "\n" }
      } else {
        return first == "\"" ? quoted() : plain()
      }
    }
    return nil
  }

  /// Skips the definition of a macro, which an empty line ends.
  mutating func skipMacro() {
    var isAtLineStart = false
    while let scalar = rest.popFirst() {
      if scalar == "\n" {
        if isAtLineStart { return }
        isAtLineStart = true
      } else if scalar != "\r" {
        isAtLineStart = false
      }
    }
  }

  private mutating func plain() -> String {
    let word = rest.prefix { !$0.properties.isWhitespace }
    rest = rest[word.endIndex...]
    return String(word)
  }

  private mutating func quoted() -> String {
    rest.removeFirst()
    var word = String.UnicodeScalarView()
    while let scalar = rest.popFirst(), scalar != "\"" {
      if scalar == "\\", let next = rest.popFirst() {
        word.append(next)
      } else {
        word.append(scalar)
      }
    }
    return String(word)
  }
}
