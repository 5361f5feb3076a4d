internal import ArgumentParser
internal import CofferTerminal
internal import CofferVault

struct BridgeGitCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "git", abstract: "Answer git, which runs this as its credential helper.",
    discussion: "git writes what it wants to standard input. See gitcredentials(7).")
  @Argument(help: "What git wants: get, store, erase or capability.")
  var verb: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "git"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    [GitHelperSetting(command: installation.command)]
  }

  func run() throws {
    let bridge = GitBridge(actor: actor, group: group.group)
    try Terminal.write(
      bridge.answer(verb) { () throws(VaultError) in try SecretInput.contents(of: "-", what: "message") })
  }
}
