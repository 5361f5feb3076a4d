import CofferTestSupport
import Foundation
import Testing

/// The page that lists all commands.
@Suite struct CommandReferenceTests {
  /// The help of `coffer`, as `--experimental-dump-help` prints it.
  private struct Help: Decodable {
    let command: CommandHelp
  }

  private struct CommandHelp: Decodable {
    let commandName: String
    let subcommands: [CommandHelp]?
    let defaultSubcommand: String?

    /// Returns the commands without subcommands below this one, such as `app add`.
    ///
    /// - Parameter path: The words of this command, without `coffer`.
    /// - Returns: The words of each command. A default subcommand has those of its parent.
    func leaves(after path: [String] = []) -> [String] {
      let own = path.joined(separator: " ")
      let below = (subcommands ?? []).filter { $0.commandName != "help" }
      guard !below.isEmpty else { return [own] }
      return below.flatMap { command in
        command.commandName == defaultSubcommand ? [own] : command.leaves(after: path + [command.commandName])
      }
    }
  }

  @Test func `The page with all commands has a row for each of them`() throws {
    let output = try Machine().coffer("--experimental-dump-help")
    let commands = try JSONDecoder().decode(Help.self, from: Data(output.utf8)).command.leaves()
    #expect(commands.contains("init") && commands.contains("app add") && commands.contains("log"))
    let rows = try DocumentationPage("CommandReference").lines
    for command in commands {
      #expect(rows.contains { $0.hasPrefix("| `\(command)`") || $0.hasPrefix("| `\(command) ") }, "\(command)")
    }
  }
}
