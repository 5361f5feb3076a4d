internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct RemoteRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Forget the remote: this machine does not sync any more.",
    discussion: """
      The vault on this machine, the repository and the other machines stay as they are. This machine stays a machine of the \
      vault: to remove it, run `coffer device revoke` on another one. `coffer remote set` sets the same remote or another \
      one later, and the next sync sends what it lacks.
      """,
    aliases: ["rm"])

  func run() throws {
    _ = try VaultFolder(.standard()).openStore()
    try SiblingProgram.replaceProcess(by: SyncProgram.name, arguments: ["remote", "remove"])
  }
}
