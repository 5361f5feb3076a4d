internal import ArgumentParser
internal import CofferTerminal

struct BridgeInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Set up a program to keep its passwords in the vault.",
    discussion: """
      git: adds credential.helper to the configuration of this user. docker, which podman and skopeo follow: writes \
      ~/.local/bin/docker-credential-coffer, and credsStore in ~/.docker/config.json. Says what it writes where.
      """)
  @Argument(help: "The program: git or docker.")
  var bridge: Bridge
  @Option(
    help: ArgumentHelp("Act as this app.", valueName: "app"), completion: .custom(VaultCompletion.apps))
  var app: String?
  @OptionGroup var group: GroupOption
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let command = BridgeCommandLine(bridge, app: app, group: group.group)
    let written = try bridge.install(command)
    if json {
      let object: JSONObject = [
        "bridge": bridge.rawValue, "isInstalled": true, "command": command.text, "written": written,
      ]
      return try Output.json(object)
    }
    for place in written { try Output.line("Wrote \(Output.cell(place))") }
  }
}
