internal import ArgumentParser
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Set up a program to keep its passwords in the vault.",
    discussion: """
      Writes a program into ~/.local/bin that runs `coffer`, and entries into the configuration of the other program. Says \
      what it writes where, and keeps everything else there. An entry of somebody else that is in the way is an error, and \
      nothing is written then.
      """)
  @Argument(help: "The program, as `coffer bridge list` names it.")
  var bridge: BridgeChoice
  @Option(
    help: ArgumentHelp("Act as this app.", valueName: "app"), completion: .custom(VaultCompletion.apps))
  var app: String?
  @OptionGroup var group: GroupOption
  @Option(
    help: ArgumentHelp(
      "Of aws: the profile, by default \"default\". Of kubectl: the user, by default \"coffer\".", valueName: "name"))
  var name: String?
  @Flag(help: "Print what would be written, and write nothing.")
  var dryRun = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    let bridge = bridge.bridge
    if name != nil, bridge.defaultName == nil { throw ValidationError("--name is not for \(bridge.name)") }
    if let name, let error = bridge.nameError(name) { throw ValidationError(error) }
  }

  func run() throws {
    let installation = BridgeInstallation(bridge.bridge, app: app, group: group.group, name: name)
    try bridge.bridge.checkClient()
    let settings = try bridge.bridge.settings(installation)
    for setting in settings { try setting.checkIsFree() }
    var written: [String] = []
    var unchanged: [String] = []
    for setting in settings {
      if try setting.current() == setting.wanted {
        unchanged.append(setting.place)
      } else {
        if !dryRun { try setting.write() }
        written.append(setting.place)
      }
    }
    if json {
      let object: JSONObject = [
        "bridge": bridge.bridge.name, "isInstalled": try !dryRun || bridge.bridge.installedCommand() != nil,
        "command": installation.command,
        "written": written, "unchanged": unchanged,
      ]
      return try Output.json(object)
    }
    for place in written { try Output.line("\(dryRun ? "Would write" : "Wrote") \(Output.cell(place))") }
    for place in unchanged { try Output.line("Unchanged: \(Output.cell(place))") }
    guard !dryRun else { return }
    bridge.bridge.advice(installation).forEach(Terminal.printNote)
    for finding in try settings.flatMap({ setting throws(VaultError) in try setting.findings() }) {
      Terminal.printNote("\(finding.message) \(finding.fix)")
    }
  }
}
