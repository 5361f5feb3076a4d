internal import ArgumentParser
internal import CofferTerminal

struct BridgeListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the programs that can use the vault, and which of them do.", aliases: ["ls"])
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let rows = try Bridges.all.map { (bridge: $0, command: try $0.installedCommand()) }
    if json {
      return try Output.json(
        rows.map { bridge, command in
          ["bridge": bridge.name, "isInstalled": command != nil, "command": command] as JSONObject
        })
    }
    try Output.table(
      [["BRIDGE", "FOR", "RUNS"]]
        + rows.map { [$0.bridge.name, $0.bridge.clients, $0.command.map(Output.cell) ?? "not installed"] })
  }
}
