internal import ArgumentParser
internal import CofferTerminal

struct ServiceRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Stop the service and delete its files.",
    discussion: "The vault stays as it is. Without the service, `coffer sync` sends its changes.")
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let files = try SyncService.find().remove()
    guard !json else { return try Output.json(object: ["files": files]) }
    guard !files.isEmpty else { return try Output.line("The service was not installed.") }
    for file in files { try Output.line("Deleted \(Output.cell(file))") }
  }
}
