import CofferTestSupport
import Foundation

/// The commands of `coffer`, as `--experimental-dump-help` prints them: what a test derives from them covers new
/// commands, too.
struct CommandTree: Decodable {
  struct Command: Decodable {
    let commandName: String
    let subcommands: [Command]?
    let defaultSubcommand: String?
    let arguments: [Argument]?
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      let kind, name: String
    }

    let kind: String
    let isRepeating: Bool
    let names: [Name]?

    /// The long name of an option or flag, with its hyphens.
    var long: String? { names?.first { $0.kind == "long" }.map { "--\($0.name)" } }
  }

  /// A command without subcommands below it.
  struct Leaf {
    /// The words of the command, without `coffer`, such as `app add`. A default subcommand has those of its parent.
    let name: String
    /// The words with which it runs.
    let words: [String]
    let arguments: [Argument]

    /// How many arguments it takes at most; nil for any number.
    var positionalCount: Int? {
      let positional = arguments.filter { $0.kind == "positional" }
      return positional.contains(where: \.isRepeating) ? nil : positional.count
    }
  }

  private let command: Command

  static func read() throws -> CommandTree {
    let output = try Machine().coffer("--experimental-dump-help")
    return try JSONDecoder().decode(CommandTree.self, from: Data(output.utf8))
  }

  var leaves: [Leaf] { Self.leaves(of: command, after: [], named: []) }

  private static func leaves(of command: Command, after words: [String], named name: [String]) -> [Leaf] {
    let below = (command.subcommands ?? []).filter { $0.commandName != "help" }
    guard !below.isEmpty else {
      return [Leaf(name: name.joined(separator: " "), words: words, arguments: command.arguments ?? [])]
    }
    return below.flatMap { next in
      let isDefault = next.commandName == command.defaultSubcommand
      return leaves(
        of: next, after: words + [next.commandName], named: isDefault ? name : name + [next.commandName])
    }
  }
}
