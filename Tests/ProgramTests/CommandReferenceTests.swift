import CofferTestSupport
import Testing

/// The page that lists all commands.
@Suite struct CommandReferenceTests {
  @Test func `The page with all commands has a row for each of them`() throws {
    let commands = try CommandTree.read().leaves.map(\.name)
    #expect(commands.contains("init") && commands.contains("app add") && commands.contains("log"))
    let rows = try DocumentationPage("CommandReference").lines
    for command in commands {
      #expect(rows.contains { $0.hasPrefix("| `\(command)`") || $0.hasPrefix("| `\(command) ") }, "\(command)")
    }
  }
}
