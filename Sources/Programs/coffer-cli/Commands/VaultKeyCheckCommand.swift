internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

struct VaultKeyCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check whether a vault key opens this vault.",
    discussion: """
      Asks for the key without showing it, and tries it on the newest root slot that this machine has. Run `coffer sync` \
      before, so that this is the one on the remote. Needs no passphrase, and changes nothing.

      Exit codes: 0 if the key opens the vault, 5 if it is mistyped, was replaced, or opens another one.
      """)
  @Option(
    help: ArgumentHelp("Read the vault key from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var vaultKeyFile: String?
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let opensVault: Bool
    let vaultKeyNumber: UInt32
  }

  func run() throws {
    let folder = try VaultFolder(.standard())
    // What can be checked is checked before anybody is asked.
    let check = try VaultKeyCheck.begin(in: folder)
    if let vaultKeyFile {
      _ = try check.root(openedBy: VaultKeyFile.read(vaultKeyFile))
    } else {
      try VaultKeyFile.ask { (key) throws(VaultError) in _ = try check.root(openedBy: key) }
    }
    guard !json else { return try Output.json(Report(opensVault: true, vaultKeyNumber: check.number)) }
    try Output.line(
      "The vault key opens the vault at \(folder.path): it is number \(check.number), the newest that this machine knows."
    )
  }
}
