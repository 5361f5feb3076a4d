internal import CofferSystem

/// A command that an error or a note suggests, with the app and the access group that the user named.
enum NextCommand {
  /// Returns a command line that a shell reads as these words.
  ///
  /// - Parameters:
  ///   - command: The command, such as `list`.
  ///   - words: Its arguments.
  ///   - app: The value of `--app`; nil for the owner.
  ///   - group: The value of `--group`; nil if no group was named.
  /// - Returns: The command line, in which no character can control the terminal.
  static func line(_ command: String, _ words: [String] = [], app: String?, group: String?) -> String {
    var options: [String] = []
    if let app { options += ["--app", app.shellWord] }
    if let group { options += ["--group", group.shellWord] }
    let arguments = words.map(\.shellWord)
    let isAmbiguous = words.contains { $0.hasPrefix("-") }
    return (["coffer", command] + (isAmbiguous ? options + ["--"] + arguments : arguments + options))
      .joined(separator: " ")
  }
}
