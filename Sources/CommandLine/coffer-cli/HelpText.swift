internal import CofferSystem

/// The help of a command. ArgumentParser wraps all of it but the usage, which has up to 200 columns.
enum HelpText {
  private static let title = "USAGE: "

  /// Returns ArgumentParser's help text with its usage wrapped, and each option and its value on one line. The width is
  /// at least 40 columns.
  static func wrapped(_ text: String, to width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      line.hasPrefix(title) ? wrapped(usage: line, to: max(width, 40)) : [String(line)]
    }.joined(separator: "\n")
  }

  private static func wrapped(usage: Substring, to width: Int) -> [String] {
    let indentation = String(repeating: " ", count: title.count + 2)
    var lines: [String] = []
    var line = ""
    for part in parts(of: usage) {
      if !line.isEmpty, line.count + 1 + part.count > width {
        lines.append(line)
        line = indentation + part
      } else {
        line += (line.isEmpty ? "" : " ") + part
      }
    }
    return lines + [line]
  }

  /// Returns the words of a usage, with what is between brackets as one.
  private static func parts(of usage: Substring) -> [String] {
    var parts: [String] = []
    var depth = 0
    for word in usage.split(separator: " ") {
      if depth > 0 {
        parts[parts.count - 1] += " \(word)"
      } else if let last = parts.last, last.hasPrefix("--"), word.hasPrefix("<") {
        // A required option with its value.
        parts[parts.count - 1] += " \(word)"
      } else {
        parts.append(String(word))
      }
      depth += word.count { $0 == "[" } - word.count { $0 == "]" }
    }
    return parts
  }
}

/// What the values of options look like whose form nobody guesses. ArgumentParser only says that a value is invalid.
enum OptionForm {
  private static let forms = [
    "--expires": "give a number with its unit, such as 24h, 90d, 12w or 1y, or a day, such as 2027-03-01",
    "--interval": "give a number with its unit, such as 90s, 15m or 2h",
    "--idle": "give a number with its unit, such as 90s, 15m or 2h, at most 24h",
    "--wait": "give a number with its unit, such as 90s, 15m or 2h",
    "--clear-after": "give a number with its unit, such as 90s, 15m or 2h",
    "--timeout": "give a number of seconds, such as 30",
    "--env": "give a variable and a reference, such as TOKEN=coffer:///github.com/jane",
    "--file": "give a variable and a reference, such as KEY_FILE=coffer:///example.com/key",
    "--algorithm": "the algorithms are SHA1, SHA256 and SHA512",
    "--head-phrase": "give the six words that `coffer status` prints, with hyphens between them",
  ]

  /// Options that many commands take, and that somebody writes before the command.
  private static let common: Set = ["--app", "--group", "--json", "--passphrase-file", "--reason"]

  private static let names = "names are given as words, as in: SERVICE ACCOUNT"
  private static let value = "a value is no argument, which others could read: it is asked for, or read from a pipe"
  private static let nothingAsked = "this command asks nothing, so leave it out"

  /// Options of other programs, by the command that does not have them and the option.
  private static let missing: [String: [String: String]] = {
    let named = Dictionary(
      uniqueKeysWithValues: ["--service", "--server", "--account", "--user", "--username", "-u", "-a", "-s"].map {
        ($0, names)
      })
    var missing = Dictionary(
      uniqueKeysWithValues: ["get", "show", "delete", "history", "restore", "move", "otp"].map { ($0, named) })
    missing["set"] = Dictionary(
      uniqueKeysWithValues: ["--password", "--value", "--secret", "-p", "-w", "-v"].map { ($0, value) })
    for option in ["--yes", "--force", "-y", "-f"] { missing["delete", default: [:]][option] = nothingAsked }
    return missing
  }()

  /// Returns what to write instead, to continue the first line of ArgumentParser's error of a value, "The value '90' is
  /// invalid for '--expires <expires>'", or of an option or an argument that the command does not take. Nil for another
  /// error.
  static func advice(on mistake: String, in arguments: [String]) -> String? {
    if let option = mistake.prefixMatch(of: /Unknown option '(-[A-Za-z-]+)'/)?.output.1 {
      let option = String(option)
      guard arguments.first != option else {
        return common.contains(option) ? ": options follow the command, as in: coffer get SERVICE \(option)" : nil
      }
      // ArgumentParser may have asked whether a similar option was meant.
      return arguments.first.flatMap { missing[$0]?[option] }.map {
        mistake.hasSuffix("?") ? " \($0.startingSentence)" : ": \($0)"
      }
    }
    if mistake.hasPrefix("Unexpected argument"), let end = arguments.firstIndex(of: "--"),
      arguments[(end + 1)...].contains(where: { $0.hasPrefix("--") })
    {
      return "; after -- nothing is an option"
    }
    // The error says more than that the value is invalid: a reason, or a list of what this command takes.
    guard let option = mistake.wholeMatch(of: /[^\n]* is invalid for '(--[a-z-]+)[^']*'/)?.output.1 else { return nil }
    return forms[String(option)].map { ": \($0)" }
  }
}
