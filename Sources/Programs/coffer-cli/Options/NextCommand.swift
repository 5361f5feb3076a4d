internal import CofferSystem

/// A command that an error or a note suggests, with the app and the access group that the user named.
enum NextCommand {
  /// Returns a command line that a shell reads as these words.
  ///
  /// - Parameters:
  ///   - command: The command, such as `history`.
  ///   - words: Its arguments.
  ///   - app: The value of `--app`; nil for the owner.
  ///   - group: The value of `--group`; nil if no group was named.
  /// - Returns: The command line, in which no character can control the terminal.
  static func line(_ command: String, _ words: [String] = [], app: String?, group: String?) -> String {
    var options: [String] = []
    if let app { options += ["--app", quoted(app)] }
    if let group { options += ["--group", quoted(group)] }
    let arguments = words.map(quoted)
    let isAmbiguous = words.contains { $0.hasPrefix("-") }
    return (["coffer", command] + (isAmbiguous ? options + ["--"] + arguments : arguments + options))
      .joined(separator: " ")
  }

  /// Quotes a word, unless no shell gives any of its characters a meaning.
  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: "-._/@:+,=%".utf8.contains(byte)
        }
      }
    guard !isPlain else { return word }
    return "'\(word.replacing("'", with: "'\\''").sanitizedForTerminal())'"
  }
}
