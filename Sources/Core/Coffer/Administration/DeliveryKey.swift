package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferTrust
internal import CofferVault

/// This machine's key for what admins deliver to it.
package enum DeliveryKey {
  /// Reads and opens the key. Throws as ``PassphraseSource/open(_:of:onMachine:)``, and `integrity` if it is missing.
  package static func read(
    from folder: VaultFolder, of genesis: EntryHash, passphrase source: PassphraseSource, machine: String?
  ) throws(VaultError) -> AgreementKey {
    guard folder.deliveryFile.exists else {
      throw VaultError(
        .integrity, "this machine's delivery key at \(folder.deliveryFile.path) is missing",
        recoverySuggestion:
          "restore the file from a backup; otherwise clone the vault again in an empty home: nothing else opens what admins have delivered to this machine"
      )
    }
    return try source.open(folder.deliveryFile, of: genesis, onMachine: machine)
  }

  /// Opens keys of an author that an admin has delivered to this machine. Throws `integrity` if they do not open, or
  /// are other keys than the log names.
  package static func open(
    _ delivery: DeliveredKeys, of author: Author, with key: AgreementKey
  ) throws(VaultError) -> PartyKeys {
    do throws(CryptoError) {
      return try delivery.open(with: key, expecting: author.keys)
    } catch {
      throw VaultError(
        .integrity, "the keys that were delivered to this machine do not open",
        recoverySuggestion:
          "the admin's program was wrong, or this machine's delivery key was exchanged; ask for new ones")
    }
  }
}
