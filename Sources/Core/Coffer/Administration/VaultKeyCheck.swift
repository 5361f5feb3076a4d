package import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Checks vault keys against the slots of this machine: the present root's, and those of earlier roots, whose vault
/// keys were replaced.
package struct VaultKeyCheck: Sendable {
  private let slot: RootSlot
  private let former: [(slot: RootSlot, succession: Succession)]

  /// The number of the vault key: 1 for the vault's first key, one more after each change of it.
  package var number: UInt32 { slot.generation }

  /// Reads the slots. A membership log that cannot be folded does not prevent the check: the slot with the greatest
  /// number counts then.
  package static func begin(in folder: VaultFolder) throws(VaultError) -> VaultKeyCheck {
    let pinned = try PinnedStore.open(in: folder)
    let local: LocalVault?
    do throws(VaultError) {
      local = try LocalVault.open(folder)
    } catch {
      guard error.code == .integrity else { throw error }
      local = nil
    }
    if let local { return try begin(in: local) }
    let slots = try translatingErrors {
      try pinned.store.read { reader in
        [try? RootSlot.first(bytes: reader.rootSlot(), of: pinned.genesis)]
          + (try reader.objects(.rootSlot).map { slot in
            try reader.object(slot.key).flatMap { try? RootSlot(bytes: $0, of: pinned.genesis) }
          })
      }
    }
    guard let newest = slots.compactMap({ $0 }).max(by: { $0.generation < $1.generation }) else {
      throw damaged(folder)
    }
    return VaultKeyCheck(slot: newest, former: [])
  }

  /// Reads the slots that the log names. Throws `integrity` if the slot of the present root is missing or damaged.
  package static func begin(in local: LocalVault) throws(VaultError) -> VaultKeyCheck {
    let slots = try translatingErrors {
      try local.store.read { try RootSlots.read(from: $0, in: local.membership(in: $0)) }
    }
    guard let current = slots.current else { throw damaged(local.folder) }
    return VaultKeyCheck(slot: current, former: slots.former)
  }

  private static func damaged(_ folder: VaultFolder) -> VaultError {
    VaultError(
      .integrity, "the root slot at \(folder.storePath) is missing or damaged, so no vault key can be checked here",
      recoverySuggestion: "restore it from the remote with: coffer check --repair && coffer sync")
  }

  /// Opens root's keys. Throws `authenticationFailed` for the key of another vault, and for one that was replaced.
  package func root(openedBy vaultKey: VaultKey) throws(VaultError) -> PartyKeys {
    do throws(CryptoError) {
      return try slot.open(with: vaultKey)
    } catch {
      guard error == .authenticationFailed else { throw VaultError(error) }
    }
    for entry in former.reversed() where (try? entry.slot.open(with: vaultKey)) != nil {
      throw VaultError.replacedVaultKey(entry.succession)
    }
    throw VaultError.otherVaultKey
  }
}

extension VaultError {
  /// The error for the vault key of another vault.
  package static let otherVaultKey = VaultError(
    .authenticationFailed, "this vault key does not open this vault",
    recoverySuggestion: "use the key that `coffer init` printed for this very vault, or the one that replaced it last")

  /// The error for a vault key that was replaced by another one.
  package static func replacedVaultKey(_ succession: Succession) -> VaultError {
    VaultError(
      .authenticationFailed,
      "this vault key was replaced on \(succession.time.date.localText) (entry \(succession.position.sequence) of the log)",
      recoverySuggestion: "use the key that `coffer vault-key rotate` showed then")
  }
}

extension VaultKey {
  /// Reads a key as a person has typed it. Case, spaces and hyphens are ignored. Throws `authenticationFailed` if the
  /// text is no vault key, or its checksum does not match. The messages differ, and neither contains the text.
  package static func typed(_ text: SecretText) throws(VaultError) -> VaultKey {
    do throws(VaultKey.ParseError) {
      return try VaultKey(parsing: text)
    } catch .mistyped {
      throw VaultError(
        .authenticationFailed, "the vault key is mistyped: its checksum does not match",
        recoverySuggestion: "compare it with what you wrote down")
    } catch {
      guard !InvitationCode.isMeant(by: text) else {
        throw VaultError(
          .authenticationFailed, "this is the code of an invitation and not a vault key",
          recoverySuggestion: "to clone with it, run: coffer clone --invite URL")
      }
      throw VaultError(
        .authenticationFailed, "this is not a vault key",
        recoverySuggestion: "a vault key has the form COFFER1-XXXX-… with eight groups of four")
    }
  }
}

/// The vault key of a vault that an app has created when nobody could write it down, or that was restored with the
/// passphrase of a backup. It is kept on that machine, sealed to its admin's keys, until it is shown once.
package enum KeptVaultKey {
  /// Seals a vault key to the admin's keys, and writes it. A passphrase that is set later then protects it, too.
  package static func write(_ key: VaultKey, to folder: VaultFolder, for admin: PartyKeys) throws(VaultError) {
    var box = try translatingErrors { try admin.publicKeys.box.seal(key.secret) }
    try folder.vaultKeyFile.write(wiping: &box)
  }

  /// Returns the vault key.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - source: The source of the machine's passphrase, if it has one.
  /// - Returns: The key. It opens the vault.
  /// - Throws: ``VaultError``: `itemNotFound` if this machine does not keep it; `authenticationFailed` if it was
  ///   replaced, after deleting it, or for a wrong passphrase; `integrity` if the file does not open.
  package static func read(in local: LocalVault, passphrase source: PassphraseSource) throws(VaultError) -> VaultKey {
    if let error = try forgetReplaced(in: local) { throw error }
    guard local.keepsVaultKey else {
      throw VaultError(
        .itemNotFound, "this machine does not keep the vault key",
        recoverySuggestion: "use the key that was written down; with it, a new one is made by: coffer vault-key rotate")
    }
    let admin = try AdminKeys.open(local, in: local.membership(), passphrase: source)
    let secret = try local.folder.vaultKeyFile.read { box in try? admin.agreement.open(box) }
    guard let key = secret.flatMap(VaultKey.init(restoring:)) else {
      throw VaultError(
        .integrity, "the vault key at \(local.folder.vaultKeyFile.path) does not open with this machine's admin keys",
        recoverySuggestion: "restore the file from a backup, together with the file \"admin\" beside it")
    }
    _ = try VaultKeyCheck.begin(in: local).root(openedBy: key)
    return key
  }

  /// Deletes the key from this machine if another one has replaced it. Returns the error for a replaced key; nil if
  /// nothing was deleted. Needs no passphrase: the kept key is the first one of the vault.
  package static func forgetReplaced(in local: LocalVault) throws(VaultError) -> VaultError? {
    guard local.hasVaultKeyFile, let succession = try local.publishedMembership().successions.first else { return nil }
    // Whoever replaced it had it elsewhere, so nothing is lost.
    try forget(in: local)
    return .replacedVaultKey(succession)
  }

  /// Deletes the key from this machine, after its owner has it.
  package static func forget(in local: LocalVault) throws(VaultError) {
    let file = local.folder.vaultKeyFile
    guard unsafe unlink(file.path) == 0 || errno == ENOENT else { throw systemFailure("delete \(file.path)") }
    try SecretFile.syncFolder(local.folder.path)
  }
}

extension LocalVault {
  /// Whether this machine keeps the present vault key, because nobody has written it down yet. False for one that was
  /// replaced on another machine.
  package var keepsVaultKey: Bool { hasVaultKeyFile && (try? publishedMembership().successions.isEmpty) ?? true }

  fileprivate var hasVaultKeyFile: Bool { keysInMemory == nil && folder.vaultKeyFile.exists }
}
