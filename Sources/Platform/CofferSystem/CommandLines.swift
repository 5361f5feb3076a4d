internal import CPlatform
internal import CofferPlatform

extension String {
  /// The text in quotes for any shell, also for the one that sshd starts: in single quotes, with "'" and, for csh, "!"
  /// outside of them. By scalars: a quote that is followed by a combining mark is another `Character`, and the same
  /// byte for the shell.
  package var quotedForShell: String {
    "'" + unicodeScalars.map { $0 == "'" || $0 == "!" ? "'\\\($0)'" : String($0) }.joined() + "'"
  }

  /// The text as a word of a command that people copy to a shell: in quotes if it needs them. It cannot control the
  /// terminal; a text that could is shown with escapes.
  package var shellWord: String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,".unicodeScalars)
    let text = sanitizedForTerminal(limit: .max)
    return !text.isEmpty && text.unicodeScalars.allSatisfy(plain.contains) ? text : text.quotedForShell
  }

  /// The text as a word of a command that a program runs: in quotes if it needs them, and always the same text.
  package var exactShellWord: String { shellWord == self ? self : quotedForShell }

  /// The first word of a command whose words ``shellWord`` has quoted; nil if there is none, or if it has a quote in
  /// it.
  package var firstShellWord: String? {
    guard hasPrefix("'") else { return split(separator: " ").first.map(String.init) }
    let rest = dropFirst()
    guard let end = rest.firstIndex(of: "'") else { return nil }
    let next = rest.index(after: end)
    return next == rest.endIndex || rest[next] == " " ? String(rest[..<end]) : nil
  }
}

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

/// The errors of wrong command lines, without what was typed: a secret in the place of another argument must get
/// neither onto a screen nor into a log. ArgumentParser quotes arguments, so every program prints its errors with this
/// type.
package enum UsageMistake {
  /// Puts a wrong command line into one line of words.
  ///
  /// - Parameters:
  ///   - message: ArgumentParser's message of the error.
  ///   - help: Its full message, whose last line names the help.
  ///   - advice: Returns what is added to the mistake; nil for nothing.
  /// - Returns: The mistake, and the command whose help describes the right form.
  package static func line(_ message: String, help: String, advice: (String) -> String? = { _ in nil }) -> String {
    let mistake = text(message)
    let command = help.matches(of: /See '(coffer[^']*)' for more information/).last?.output.1 ?? "coffer --help"
    return "\(mistake + (advice(mistake) ?? "")); see: \(command)".sanitizedForTerminal(limit: .max)
  }

  private static let withheld = "which is not shown, because it may be a secret"

  /// Returns the first line of a message without the arguments that it quotes. An argument can contain any text, also
  /// newlines and the words of a message.
  package static func text(_ message: String) -> String {
    let line = message.split(separator: "\n").first.map(String.init) ?? ""
    if line.hasPrefix("Unexpected argument '") { return "Unexpected argument, \(withheld)" }
    if let several = line.prefixMatch(of: /([0-9]+) unexpected arguments: '/) {
      return "\(several.output.1) unexpected arguments, which are not shown, because they may be secrets"
    }
    if line.hasPrefix("Unknown option '") {
      // What follows a single hyphen can be a password that begins with it.
      let known = line.wholeMatch(
        of: /Unknown option '(--[a-z]+(-[a-z]+)*|-[A-Za-z])'(\. Did you mean '--[a-z\-]+'\?)?/)
      return known == nil ? "Unknown option, \(withheld)" : line
    }
    if line.hasPrefix("The value '"), let end = message.ranges(of: "' is invalid").last {
      let lines = message[end.lowerBound...].dropFirst().split(separator: "\n").map { $0.drop { " -".contains($0) } }
      // A list of the values that are valid can follow, a line for each.
      let values = lines.dropFirst().joined(separator: ", ")
      let text = "The value \(lines.first ?? "")" + (values.isEmpty ? "" : " \(values)")
      return text.hasSuffix("'.") ? String(text.dropLast()) : text
    }
    if let option = line.prefixMatch(of: /The option '(--[a-z\-]+|-[A-Za-z])' does not take any value/) {
      return String(option.output.0)
    }
    // The errors of the commands themselves begin in lower case.
    let isOwn = line.first?.isLowercase == true || line.hasPrefix("--") || line.hasPrefix("Missing ")
    return isOwn ? line : "wrong arguments"
  }
}

/// The arguments of a command, if they can be read in one way only: words that begin with no hyphen, options with their
/// value as the next word, and flags.
///
/// ArgumentParser builds the definitions of all commands before it reads the first word, which takes longer than most
/// commands. The programs read the command lines of frequent commands with this type, and everything else with
/// ArgumentParser: abbreviations of any kind, repeated options, mistakes, and requests for help.
package struct PlainArguments: Equatable, Sendable {
  /// The words that are neither an option, its value nor a flag, in their order.
  package private(set) var words: [String] = []
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Reads arguments, or returns nil if one of them is anything else than such a word, option or flag: an option or a
  /// flag of another name or in another form, one that is given twice, an option without a value, an empty word, or a
  /// word or value that begins with a hyphen. The names of options and flags have their hyphens.
  package init?(_ arguments: ArraySlice<String>, options: Set<String> = [], flags: Set<String> = []) {
    var option: String?
    for argument in arguments {
      if argument.utf8.first != UInt8(ascii: "-") {
        guard !argument.isEmpty else { return nil }
        if let name = option {
          guard values.updateValue(argument, forKey: name) == nil else { return nil }
          option = nil
        } else {
          words.append(argument)
        }
      } else if option != nil {
        return nil
      } else if options.contains(argument) {
        option = argument
      } else {
        guard flags.contains(argument), self.flags.insert(argument).inserted else { return nil }
      }
    }
    guard option == nil else { return nil }
  }

  /// The value of an option; nil if it is not given.
  package subscript(_ option: String) -> String? { values[option] }

  package func has(_ flag: String) -> Bool { flags.contains(flag) }
}

/// The options of a command line as POSIX has them, read by the system's `getopt`: letters, alone or together, with a
/// value in the same word or the next. They end before the first word that is none.
package struct ShortOptions: Equatable, Sendable {
  /// An option, and its value if it takes one.
  package struct Option: Equatable, Sendable {
    package let letter: Character
    package let value: String?
  }

  /// The options in their order.
  package private(set) var options: [Option] = []
  /// The letter of the last option if its value is missing.
  package private(set) var incomplete: Character?
  /// The words after the options.
  package private(set) var operands: [String] = []

  /// Reads the words after the first one, which is the name of the command. `letters` has those of all options,
  /// each with a colon if it takes a value. Nil if an option is unknown.
  package init?(_ words: [String], letters: String) {
    #if canImport(Darwin)
      let form = ":" + letters
    #else
      // Without the sign, words that are no options would be passed over.
      let form = "+:" + letters
    #endif
    let isKnown = unsafe withCStrings(words) { pointers in
      var value: UnsafePointer<CChar>?
      var next: Int32 = 1
      var isFirst: Int32 = 1
      while true {
        let found = unsafe coffer_next_option(Int32(words.count), pointers, form, isFirst, &value, &next)
        isFirst = 0
        if found == -1 { break }
        if found == Int32(UInt8(ascii: "?")) { return false }
        let letter = Character(Unicode.Scalar(UInt8(truncatingIfNeeded: abs(found))))
        if found < 0 {
          incomplete = letter
        } else {
          options.append(Option(letter: letter, value: unsafe value.map { unsafe String(cString: $0) }))
        }
      }
      operands = Array(words.dropFirst(Int(next)))
      return true
    }
    guard isKnown else { return nil }
  }
}
