internal import ArgumentParser
internal import Coffer
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

/// The vault key, for what only its holder may do.
struct VaultKeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the vault key from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var vaultKeyFile: String?

  /// Why the key is needed to make a machine an admin.
  static let reasonForAdmin =
    "Only the vault key makes an admin, so that whoever steals one admin's machine cannot make itself others."

  /// Reads the key if a file contains it; nil otherwise.
  func readFile() throws(VaultError) -> VaultKey? { try vaultKeyFile.map(VaultKeyFile.read) }

  /// Returns the key from the file, which may be wrong, or asks for it until it opens the vault. The reason why it is
  /// needed is a sentence. Throws `locked` if nobody can be asked.
  func key(of local: LocalVault, because reason: String) throws(VaultError) -> VaultKey {
    if let key = try readFile() { return key }
    try VaultKeyFile.checkCanAsk()
    Terminal.printNote(reason)
    return try VaultKeyFile.ask { (key) throws(VaultError) in
      _ = try VaultKeyCheck.begin(in: local).root(openedBy: key)
      return key
    }
  }
}
