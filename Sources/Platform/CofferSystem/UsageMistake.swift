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
