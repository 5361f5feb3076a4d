internal import ArgumentParser
internal import CofferTerminal
internal import CofferVault

struct BridgeRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Undo `coffer bridge install`. The passwords stay in the vault.", aliases: ["rm"])
  @Argument(help: "The program: git or docker.")
  var bridge: Bridge
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let removed = try bridge.remove()
    guard !removed.isEmpty else {
      throw VaultError(
        .itemNotFound, "the bridge for \(bridge.rawValue) is not installed",
        recoverySuggestion: "see which are with: coffer bridge list")
    }
    if json {
      let object: JSONObject = ["bridge": bridge.rawValue, "isInstalled": false, "removed": removed]
      return try Output.json(object)
    }
    for place in removed { try Output.line("Removed \(Output.cell(place))") }
  }
}
