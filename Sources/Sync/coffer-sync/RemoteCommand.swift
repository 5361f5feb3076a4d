internal import ArgumentParser

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Choose the remote.",
    subcommands: [RemoteSetCommand.self, RemoteRemoveCommand.self])
}
