internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the remote. `coffer sync` then uploads the vault.",
    discussion:
      """
      An ssh URL (ssh://host/path or host:path) or a path. A relative path is stored as an absolute one. The repository \
      must be empty or contain this vault. If it can be reached, one with foreign branches or tags is refused; another \
      vault is refused by the next sync.
      """)
  @Flag(
    help: ArgumentHelp(
      "Use the repository although it contains something else than this vault.",
      discussion: "The vault is a branch of its own, vault-1. Whoever may push to the other branches can remove it."))
  var force = false
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    _ = try VaultFolder(.standard()).openStore()
    try SiblingProgram.replaceProcess(
      by: SyncProgram.name, arguments: ["remote", "set"] + (force ? ["--force"] : []) + ["--", url])
  }
}
