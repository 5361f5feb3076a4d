internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferSystem
internal import CofferVault

/// This machine's admin keys.
enum AdminKeys {
  /// Reads and opens the keys. Asks for the passphrase if they are sealed under one.
  ///
  /// The keys pin the vault, as an app's credential does: an exchanged store must not get this admin's writes.
  ///
  /// - Parameters:
  ///   - folder: The vault's folder.
  ///   - genesis: The hash of the vault's genesis.
  ///   - source: The source of the passphrase.
  ///   - machine: The name of this machine, for errors; nil if it is not known.
  /// - Returns: The opened object.
  /// - Throws: ``VaultError``: `notEntitled` if this machine has no admin keys; `integrity` if they belong to another
  ///   vault; `authenticationFailed` for a wrong passphrase.
  static func open(
    _ folder: VaultFolder, of genesis: EntryHash, passphrase source: PassphraseSource, machine: String?
  ) throws(VaultError) -> PartyKeys {
    guard folder.adminFile.exists else {
      throw VaultError(
        .notEntitled, "this machine has no admin keys",
        recoverySuggestion: "do this on an admin machine, or clone with the vault key"
      )
    }
    let file = try folder.adminFile.read { try AdminFile(secretBytes: $0) }
    guard file.genesis == genesis else {
      throw VaultError(
        .integrity, "the admin keys at \(folder.adminFile.path) belong to another vault",
        recoverySuggestion: "the folder was exchanged; restore the original folder")
    }
    guard file.needsPassphrase else { return try translatingErrors { try file.open(passphrase: nil) } }
    return try source.open { (passphrase) throws(VaultError) in
      do throws(CryptoError) {
        return try file.open(passphrase: passphrase)
      } catch {
        guard error == .authenticationFailed || error == .invalidSize else { throw VaultError(error) }
        throw .wrongPassphrase(of: machine)
      }
    }
  }

  /// Writes the keys of a new machine.
  static func write(_ keys: PartyKeys, genesis: EntryHash, protection: AdminProtection, to folder: VaultFolder)
    throws(VaultError)
  {
    let file: AdminFile
    switch protection {
    case .none: file = AdminFile(genesis: genesis, unprotected: keys)
    case .passphrase(let passphrase):
      do throws(CryptoError) {
        file = try AdminFile(genesis: genesis, keys: keys, passphrase: passphrase)
      } catch .invalidSize {
        throw VaultError.unusablePassphrase
      } catch {
        throw VaultError(error)
      }
    }
    var bytes = file.secretBytes()
    try folder.adminFile.write(wiping: &bytes)
  }
}

extension VaultError {
  /// The error for a wrong passphrase of a machine, by its name if that is known.
  static func wrongPassphrase(of machine: String?) -> VaultError {
    VaultError(
      .authenticationFailed, "wrong passphrase for \(machine?.sanitizedForTerminal() ?? "this machine")",
      recoverySuggestion: "each machine has its own, chosen at its init or clone")
  }

  /// The error for a passphrase that is empty or too long.
  static let unusablePassphrase = VaultError(
    .invalidArgument, "the passphrase is empty or longer than 1024 bytes", recoverySuggestion: "choose another one")
}
