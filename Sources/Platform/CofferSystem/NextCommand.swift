/// A command that an error, a note or a page suggests, with the app and the access group that it needs.
package enum NextCommand {
  /// The command of this process, to be run on another machine.
  package static var same: String {
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "coffer"
    let words = program.split(separator: "-", maxSplits: 1).map(String.init) + CommandLine.arguments.dropFirst()
    return words.map(\.shellWord).joined(separator: " ")
  }

  /// Returns the command of this process with an option that it lacks.
  package static func same(adding option: String, _ value: String) -> String {
    let words = CommandLine.arguments.dropFirst()
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let all = ["coffer"] + words[..<end] + [option, value] + words[end...]
    return all.map(\.shellWord).joined(separator: " ")
  }

  /// Returns a command line that a shell reads as these words, and in which no character can control the terminal. The
  /// placeholders stand for what the person has to choose, such as `SERVICE`. `app` is nil for the owner, and `group`
  /// if none was named.
  package static func line(
    _ command: String, _ words: [String] = [], placeholders: String..., app: String? = nil, group: String? = nil
  ) -> String {
    var options: [String] = []
    if let app { options += ["--app", app.shellWord] }
    if let group { options += ["--group", group.shellWord] }
    let arguments = words.map(\.shellWord) + placeholders
    let isAmbiguous = words.contains { $0.hasPrefix("-") }
    return (["coffer", command] + (isAmbiguous ? options + ["--"] + arguments : arguments + options))
      .joined(separator: " ")
  }
}
