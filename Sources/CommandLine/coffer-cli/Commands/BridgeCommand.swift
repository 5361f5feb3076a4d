internal import ArgumentParser

struct BridgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bridge", abstract: "Let other programs, such as git, keep their passwords in the vault.",
    discussion: """
      The programs run `coffer` themselves, with the owner's own group, or with the app and the group that were named for \
      the bridge. A vault whose owner's secrets need a passphrase asks for it on the terminal.
      """,
    subcommands: [BridgeInstallCommand.self, BridgeListCommand.self, BridgeRemoveCommand.self] + Bridges.all)
}
