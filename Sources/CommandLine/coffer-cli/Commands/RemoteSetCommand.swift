internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct RemoteSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the remote. `coffer sync` then uploads the vault.",
    discussion:
      """
      An https URL, an ssh URL (ssh://host/path or host:path), git://host/path, or a path. A relative path is stored as an \
      absolute one. A password in an https URL is given to git's credential helper and is not stored here. --ca-file and \
      --insecure-http are stored for later syncs. The repository must be empty or contain this vault: one with foreign branches or \
      tags is refused, and another vault by the next sync. So is a remote that answers and cannot be used, for example \
      because of its certificate, the password, or a wrong path. If nothing answers, it is set with a note.
      """)
  @Flag(
    help: ArgumentHelp(
      "Use the repository although it contains something else than this vault, or its check has failed.",
      discussion: "The vault has branches of its own, vault-…. Anybody with push access to the others can remove it."))
  var force = false
  @OptionGroup var remote: RemoteAccessOptions
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let folder = try VaultFolder(.standard())
    _ = try folder.openStore()
    if folder.vaultKeyFile.exists {
      Terminal.printNote(
        "The vault key is not written down yet: without it, the remote recovers nothing if this machine is lost. Run: coffer vault-key show"
      )
    }
    let arguments = ["remote", "set"] + (force ? ["--force"] : []) + remote.arguments
    guard let password = URLPassword(url) else {
      return try SiblingProgram.replaceProcess(by: SyncProgram.name, arguments: arguments + ["--", url])
    }
    let output = try SyncProgram.run(
      arguments + ["--credential-on-input", "--", password.url], input: password.credential)
    try Output.line(String(decoding: output, as: UTF8.self).split(separator: "\n").joined(separator: "\n"))
  }
}
