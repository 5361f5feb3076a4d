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

  /// Returns what to write instead, to continue the first line of ArgumentParser's error of a value: "The value '90' is
  /// invalid for '--expires <expires>'". Nil for another error.
  static func advice(on mistake: String) -> String? {
    // The error lists what this command takes.
    guard !mistake.contains("Please provide one of") else { return nil }
    guard let option = mistake.firstMatch(of: /is invalid for '(--[a-z-]+)/)?.output.1 else { return nil }
    return forms[String(option)].map { ": \($0)" }
  }
}
