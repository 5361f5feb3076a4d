internal import ArgumentParser
internal import CofferSystem

/// A command that does not exist, and those that the user may have meant.
struct UnknownCommand {
  /// The word that is no command.
  let word: String
  /// The command before it, such as `coffer remote`.
  let parent: String
  /// The commands that the user may have meant, such as `coffer remote set`.
  let suggestions: [String]
  /// How the user reaches the same without such a command, as a sentence; nil if there is nothing to say.
  let advice: String?

  /// One line for standard error: the mistake, and where to look. It shows the word only if that is nearly a command:
  /// any other one may be a secret.
  var message: String {
    let isKnown = advice != nil || !suggestions.isEmpty
    var message = "unknown command" + (isKnown ? " '\(word.sanitizedForTerminal())'" : "")
    if let advice { return "\(message). \(advice)" }
    if !suggestions.isEmpty { message += "; did you mean \(suggestions.joined(separator: ", or "))?" }
    return message + (suggestions.isEmpty ? "; see: " : " See: ") + "\(parent) --help"
  }

  /// Returns the first word of a command line that should be a command and is none. Nil if every command exists, or an
  /// option comes first.
  static func find(in arguments: [String]) -> UnknownCommand? {
    let isHelp = arguments.first == "help"
    var path = ["coffer"]
    var command: any ParsableCommand.Type = CofferCommand.self
    for word in isHelp ? arguments.dropFirst() : arguments[...] {
      guard !word.hasPrefix("-"), path.count > 1 || word != "help" else { return nil }
      let subcommands = command.configuration.subcommands
      guard isHelp || !subcommands.isEmpty else { return nil }
      guard let next = subcommands.first(where: { $0.names.contains(word) }) else {
        // `coffer otp SERVICE` and `coffer backup FILE` have no word for what they do.
        if !isHelp, command == OTPCommand.self || command == BackupCommand.self { return nil }
        return UnknownCommand(
          word: word, parent: path.joined(separator: " "),
          suggestions: suggestions(for: word, after: path, subcommands),
          advice: advice[(path + [word.lowercased()]).joined(separator: " ")])
      }
      command = next
      path.append(next.names[0])
    }
    return nil
  }

  /// What other programs have commands for, and this one has not.
  private static let advice: [String: String] = {
    let generate = "To store a random value: coffer set --generate SERVICE ACCOUNT"
    let rename =
      "To rename a password: coffer edit SERVICE ACCOUNT --service NEW; to move it to another access group: coffer move"
    let remove = "To remove a vault from this machine, see “Removing a vault or Coffer” in README.md"
    let security = Dictionary(
      uniqueKeysWithValues: [
        "find-generic-password", "add-generic-password", "delete-generic-password", "find-internet-password",
        "add-internet-password", "delete-internet-password",
      ].map { ("coffer \($0)", "As on macOS: coffer security \($0)") })
    return [
      "coffer generate": generate, "coffer pwgen": generate, "coffer random": generate,
      "coffer mv": rename,
      "coffer uninstall": remove, "coffer destroy": remove, "coffer leave": remove,
      "coffer device leave": remove,
    ].merging(security) { $1 }
  }()

  private static func suggestions(
    for word: String, after path: [String], _ subcommands: [any ParsableCommand.Type]
  ) -> [String] {
    let word = word.lowercased()
    let parent = path.joined(separator: " ")
    if let same = subcommands.first(where: { $0.names.contains(word) }) { return ["\(parent) \(same.names[0])"] }
    if let known = synonyms["\(parent) \(word)"] { return known.map { "coffer \($0)" } }
    // One word of a command of two: `install` for `app install`.
    if path.count == 1 {
      let nested = subcommands.flatMap { group in
        group.configuration.subcommands.filter { $0.names.contains(word) }
          .map { "\(parent) \(group.names[0]) \($0.names[0])" }
      }
      if !nested.isEmpty { return nested }
    }
    return subcommands.flatMap { command in
      command.names.filter { EditDistance.between(word, $0) <= ($0.count < 5 ? 1 : 2) }.prefix(1)
        .map { _ in "\(parent) \(command.names[0])" }
    }
  }

  /// Words of other programs, with the commands that do what they do there.
  private static let synonyms: [String: [String]] = {
    var synonyms = [
      "coffer add": ["set", "app add"], "coffer show": ["get", "app show", "remote show"],
      "coffer remote add": ["remote set"], "coffer remote get": ["remote show"], "coffer remote list": ["remote show"],
      "coffer remote ls": ["remote show"], "coffer remote change": ["remote set"], "coffer app set": ["app add"],
      "coffer app register": ["app add"], "coffer app update": ["app add"], "coffer app edit": ["app add"],
      "coffer group show": ["group list"], "coffer item": ["get", "list", "show", "set"],
      "coffer totp": ["otp"], "coffer 2fa": ["otp"], "coffer oath": ["otp"], "coffer code": ["otp"],
      "coffer remote delete": ["remote remove"], "coffer remote unset": ["remote remove"],
      "coffer app grant": ["app install"], "coffer app give": ["app install"],
      "coffer admin revoke": ["admin remove"], "coffer admin delete": ["admin remove"],
      "coffer device add": ["pair", "device invite"], "coffer invite": ["device invite"],
      "coffer approve": ["device approve"], "coffer device new": ["device create"],
      "coffer device remove": ["device revoke"],
      "coffer device delete": ["device revoke"], "coffer promote": ["admin add"], "coffer demote": ["admin remove"],
    ]
    let words: [String: [String]] = [
      "set": ["insert", "create", "new", "put", "store", "save", "write"],
      "edit": ["update", "modify", "change"], "copy": ["cp", "duplicate"],
      "get": ["cat", "print", "reveal"],
      "run": ["exec", "with"], "inject": ["template", "render"],
      "delete": ["remove", "del", "erase", "unset"],
      "list": ["items"],
      "sync": ["push", "pull", "fetch"],
      "history": ["versions"],
      "log": ["audit", "entries"],
      "why": ["explain", "access", "diagnose"],
      "vault-key check": ["vaultkey", "recovery-key"],
      "restore": ["revert", "undo", "rollback", "resolve"],
      "check": ["fsck", "verify", "repair"],
      "inspect": ["browse", "open", "gui", "ui", "web", "serve"],
      "passphrase change": ["passwd", "password"],
      "app add": ["register"],
    ]
    for (command, others) in words {
      for other in others { synonyms["coffer \(other)"] = [command] }
    }
    return synonyms
  }()
}

extension ParsableCommand {
  /// The name of the command and its aliases.
  fileprivate static var names: [String] {
    [configuration.commandName].compactMap(\.self) + configuration.aliases
  }
}

/// How similar two words are.
enum EditDistance {
  /// Returns the number of characters to insert, delete, replace or exchange with their neighbour to turn one word into
  /// the other (the optimal string alignment distance).
  static func between(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.unicodeScalars), Array(second.unicodeScalars))
    var rows = [Array(0...second.count)]
    for (row, character) in first.enumerated() {
      var costs = [row + 1]
      for (column, other) in second.enumerated() {
        var cost = min(
          rows[row][column + 1] + 1, costs[column] + 1, rows[row][column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
          cost = min(cost, rows[row - 1][column - 1] + 1)
        }
        costs.append(cost)
      }
      rows.append(costs)
    }
    return rows[first.count][second.count]
  }

  /// Returns the word that is most similar to a mistyped one; nil if none is similar enough to be meant. Words that
  /// differ in length by more than a typing error are not compared.
  static func nearest(to word: String, in others: [String]) -> String? {
    let limit = word.count < 5 ? 1 : 2
    let candidates = others.filter { $0 != word && abs($0.count - word.count) <= limit && $0.count <= maximumLength }
    let compared = candidates.prefix(maximumCount).map {
      (word: $0, distance: between(word.lowercased(), $0.lowercased()))
    }
    return compared.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
  }

  /// The comparison takes time in proportion to the product of the lengths.
  private static let maximumLength = 256
  private static let maximumCount = 1_000
}
