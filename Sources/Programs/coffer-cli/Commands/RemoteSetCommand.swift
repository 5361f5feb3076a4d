internal import ArgumentParser
internal import Coffer
internal import CofferVault

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the remote. `coffer sync` then uploads the vault.",
    discussion:
      "An ssh URL (ssh://host/path or host:path) or a path. The repository must be empty or hold this vault.")
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    _ = try VaultFolder(.standard()).openStore()
    try SyncProgram.replaceProcess(["remote", "set", "--", url])
  }
}
