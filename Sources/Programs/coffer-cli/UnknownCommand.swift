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

  /// One line for standard error: the mistake, and where to look.
  var message: String {
    var message = "unknown command '\(word.sanitizedForTerminal())'"
    if !suggestions.isEmpty { message += "; did you mean \(suggestions.joined(separator: ", or "))?" }
    return message + (suggestions.isEmpty ? "; see: " : " See: ") + "\(parent) --help"
  }

  /// Returns the first word of a command line that should be a command and is none.
  ///
  /// - Parameter arguments: The arguments of `coffer`.
  /// - Returns: The unknown command; nil if every command exists, or an option comes first.
  static func find(in arguments: [String]) -> UnknownCommand? {
    let isHelp = arguments.first == "help"
    var path = ["coffer"]
    var command: any ParsableCommand.Type = CofferCommand.self
    for word in isHelp ? arguments.dropFirst() : arguments[...] {
      guard !word.hasPrefix("-"), path.count > 1 || word != "help" else { return nil }
      let subcommands = command.configuration.subcommands
      guard isHelp || !subcommands.isEmpty else { return nil }
      guard let next = subcommands.first(where: { $0.names.contains(word) }) else {
        return UnknownCommand(
          word: word, parent: path.joined(separator: " "), suggestions: suggestions(for: word, after: path, subcommands)
        )
      }
      command = next
      path.append(next.names[0])
    }
    return nil
  }

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
      command.names.filter { distance(word, $0) <= ($0.count < 5 ? 1 : 2) }.prefix(1)
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
      "coffer group show": ["group list"], "coffer app grant": ["app install"], "coffer app give": ["app install"],
      "coffer admin revoke": ["admin remove"], "coffer admin delete": ["admin remove"],
      "coffer device add": ["device invite", "clone"], "coffer invite": ["device invite"],
      "coffer approve": ["device approve"], "coffer join": ["clone"], "coffer device new": ["device create"],
      "coffer device remove": ["device revoke"],
      "coffer device delete": ["device revoke"], "coffer promote": ["admin add"], "coffer demote": ["admin remove"],
    ]
    let words: [String: [String]] = [
      "set": ["insert", "edit", "create", "new", "put", "store", "save", "update", "write"],
      "get": ["read", "cat", "print", "reveal"],
      "delete": ["remove", "del", "erase", "unset"],
      "list": ["find", "search", "items"],
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

  /// The number of characters to insert, delete, replace or exchange with their neighbour to turn one word into the
  /// other (the optimal string alignment distance).
  private static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first), Array(second))
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
}

extension ParsableCommand {
  /// The name of the command and its aliases.
  fileprivate static var names: [String] {
    [configuration.commandName].compactMap(\.self) + configuration.aliases
  }
}
