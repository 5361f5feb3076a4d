internal import ArgumentParser
internal import CofferTerminal

struct AgentRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End the agent that systemd starts, and delete its units.")
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let files: [String]
  }

  func run() throws {
    let files = try AgentService.find().remove()
    guard !json else { return try Output.json(Report(files: files)) }
    guard !files.isEmpty else { return try Output.line("The agent was not installed.") }
    for file in files { try Output.line("Deleted \(Output.cell(file))") }
  }
}
