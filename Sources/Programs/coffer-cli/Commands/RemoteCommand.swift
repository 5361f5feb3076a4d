internal import ArgumentParser
internal import Coffer
internal import Foundation

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Choose the git repository that takes the vault from machine to machine.",
    subcommands: [RemoteSetCommand.self, RemoteShowCommand.self])
}

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the remote; `coffer sync` then fills it.",
    discussion:
      "An ssh URL (ssh://host/path or host:path) or a path. The repository is to be empty, or to hold this vault.")
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    _ = try VaultFolder(.standard()).openStore()
    try SyncProgram.replaceProcess(["remote", "set", "--", url])
  }
}

struct RemoteShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the remote.")

  func run() throws {
    guard let remote = try VaultStatus(LocalVault(VaultFolder(.standard()))).remote else {
      throw VaultError(.itemNotFound, "this vault has no remote", mend: "set one with: coffer remote set URL")
    }
    try Output.line(Output.cell(remote))
  }
}
