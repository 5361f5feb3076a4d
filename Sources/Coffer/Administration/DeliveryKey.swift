package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferTrust
internal import CofferVault

/// This machine's key for what admins deliver to it.
package enum DeliveryKey {
  /// Reads and opens the key. Asks for the passphrase if it is sealed under one. Throws `integrity` if it is missing or
  /// belongs to another vault. `machine` is named in errors.
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
    let file = try folder.deliveryFile.read { try DeliveryFile(secretBytes: $0) }
    guard file.genesis == genesis else {
      throw VaultError(
        .integrity, "the delivery key at \(folder.deliveryFile.path) belongs to another vault",
        recoverySuggestion: "the folder was exchanged; restore the original folder")
    }
    return try source.open(ofMachine: machine, isNeeded: file.needsPassphrase) { (passphrase) throws(CryptoError) in
      try file.open(passphrase: passphrase)
    }
  }

  /// Whether the key is sealed under the machine's passphrase.
  package static func needsPassphrase(in folder: VaultFolder) throws(VaultError) -> Bool {
    try folder.deliveryFile.read { try DeliveryFile(secretBytes: $0).needsPassphrase }
  }

  /// Writes the key of a machine.
  package static func write(
    _ key: AgreementKey, genesis: EntryHash, protection: AdminProtection, to folder: VaultFolder
  )
    throws(VaultError)
  {
    let file = try protection.protecting { (passphrase) throws(CryptoError) in
      guard let passphrase else { return DeliveryFile(genesis: genesis, unprotected: key) }
      return try DeliveryFile(genesis: genesis, key: key, passphrase: passphrase)
    }
    var bytes = file.secretBytes()
    try folder.deliveryFile.write(wiping: &bytes)
  }

  /// Opens keys that an admin has delivered to this machine.
  ///
  /// - Parameters:
  ///   - delivery: The sealed keys.
  ///   - author: The author whose keys they are.
  ///   - key: This machine's delivery key.
  /// - Returns: The keys.
  /// - Throws: ``VaultError``: `integrity` if they do not open, or are other keys than the log names.
  package static func open(_ delivery: DeliveredKeys, of author: Author, with key: AgreementKey) throws(VaultError)
    -> PartyKeys
  {
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
