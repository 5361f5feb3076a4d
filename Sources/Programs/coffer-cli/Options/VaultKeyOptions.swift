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

  /// Reads the key if a file contains it; nil otherwise.
  func readFile() throws(VaultError) -> VaultKey? { try vaultKeyFile.map(VaultKeyFile.read) }

  /// Returns the key from the file, or asks for it until it opens the vault.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - reason: Why the vault key is needed, as a sentence.
  /// - Returns: The key. One from a file may be wrong.
  /// - Throws: ``VaultError``: `locked` if nobody can be asked; `authenticationFailed` for a wrong key.
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
