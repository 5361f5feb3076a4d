internal import ArgumentParser

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Choose the git repository through which the vault syncs between machines.",
    subcommands: [
      RemoteSetCommand.self, RemoteShowCommand.self, RemoteRemoveCommand.self,
    ])
}
