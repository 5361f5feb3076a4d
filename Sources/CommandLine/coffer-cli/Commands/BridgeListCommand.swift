internal import ArgumentParser
internal import CofferTerminal
internal import CofferVault

struct BridgeListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the programs that can use the vault, and which of them do.", aliases: ["ls"])
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let rows = Bridges.all.map(Self.row)
    if json {
      return try Output.json(
        rows.map { bridge, command, error in
          let object: JSONObject = [
            "bridge": bridge.name, "isInstalled": command != nil, "command": command, "error": error,
          ]
          return object
        })
    }
    try Output.table(
      [["BRIDGE", "FOR", "RUNS"]]
        + rows.map { bridge, command, error in
          [bridge.name, bridge.clients, (command ?? error).map(Output.cell) ?? "not installed"]
        })
  }

  /// A file of another program that cannot be read is no reason to hide the other bridges.
  private static func row(_ bridge: any Bridge.Type) -> (bridge: any Bridge.Type, command: String?, error: String?) {
    do throws(VaultError) {
      return (bridge, try bridge.installedCommand(), nil)
    } catch {
      return (bridge, nil, error.description)
    }
  }
}
