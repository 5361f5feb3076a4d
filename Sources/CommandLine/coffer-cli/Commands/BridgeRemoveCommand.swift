internal import ArgumentParser
internal import CofferTerminal
internal import CofferVault

struct BridgeRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Undo `coffer bridge install`. The passwords stay in the vault.", aliases: ["rm"])
  @Argument(help: "The program, as `coffer bridge list` names it.")
  var bridge: BridgeChoice
  @Flag(help: "Print what would be removed, and remove nothing.")
  var dryRun = false
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let settings = try bridge.bridge.anySettings()
    let removed = try settings.flatMap { setting throws(VaultError) in try setting.present() }
    guard !removed.isEmpty else {
      throw VaultError(
        .itemNotFound, "the bridge for \(bridge.bridge.name) is not installed",
        recoverySuggestion: "see which are with: coffer bridge list")
    }
    if !dryRun {
      // The program last: what it is for finds it until then.
      for setting in settings.reversed() { try setting.remove() }
    }
    if json {
      let object: JSONObject = ["bridge": bridge.bridge.name, "isInstalled": dryRun, "removed": removed]
      return try Output.json(object)
    }
    for place in removed { try Output.line("\(dryRun ? "Would remove" : "Removed") \(Output.cell(place))") }
  }
}
