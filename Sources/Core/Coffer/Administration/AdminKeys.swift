package import CofferCrypto
package import CofferFormat
package import CofferKeys
internal import CofferPlatform
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// This machine's admin keys.
package enum AdminKeys {
  /// Opens the keys of the admin that the log names on this machine. Asks for the passphrase if they are sealed under
  /// one. Keys that were delivered with an appointment are written to the admin file at their first use. If the log
  /// does not name this machine, they may be those of an admin that the log does not name either.
  ///
  /// The keys pin the vault, as an app's credential does: an exchanged store must not get this admin's writes. Throws
  /// `notEntitled` if this machine is a member, was removed, or has no admin keys; `integrity` if they belong to
  /// another vault; `authenticationFailed` for a wrong passphrase.
  static func open(
    _ local: LocalVault, in membership: Membership, passphrase source: PassphraseSource
  ) throws(VaultError) -> PartyKeys {
    if let error = try local.memberError() { throw error }
    let machine = local.machine(in: membership)
    let genesis = membership.genesis.hash
    guard let admin = machine?.admin.flatMap({ membership.authors[$0] }), let delivery = admin.delivery else {
      return try read(from: local.folder, of: genesis, passphrase: source, machine: machine?.name)
    }
    let source = source.rememberingFirst()
    if local.folder.adminFile.exists {
      let keys = try read(from: local.folder, of: genesis, passphrase: source, machine: machine?.name)
      if keys.publicKeys == admin.keys { return keys }
    }
    return try adopt(delivery, of: admin, in: local.folder, genesis, passphrase: source, machine: machine?.name)
  }

  /// Opens the keys that came with an appointment, and keeps them under this machine's passphrase.
  private static func adopt(
    _ delivery: DeliveredKeys, of admin: Author, in folder: VaultFolder, _ genesis: EntryHash,
    passphrase source: PassphraseSource, machine: String?
  ) throws(VaultError) -> PartyKeys {
    let opened = try DeliveryKey.read(from: folder, of: genesis, passphrase: source, machine: machine)
    let keys = try DeliveryKey.open(delivery, of: admin, with: opened)
    let needsPassphrase = try folder.deliveryFile.read(DeliveryFile.self).needsPassphrase
    let protection: AdminProtection = needsPassphrase ? .passphrase(try source.passphrase()) : .none
    do throws(VaultError) {
      try protection.write(keys, of: genesis, to: folder.adminFile)
    } catch {
      // The folder is not writable. The next command opens the delivery again.
    }
    return keys
  }

  /// Reads and opens the keys in the admin file. The log may not name them any more. Throws `notEntitled` if the file
  /// does not exist, and `integrity` if it belongs to another vault. `machine` is named in errors.
  package static func read(
    from folder: VaultFolder, of genesis: EntryHash, passphrase source: PassphraseSource, machine: String?
  ) throws(VaultError) -> PartyKeys {
    guard folder.adminFile.exists else {
      throw VaultError(
        .notEntitled, "this machine has no admin keys",
        recoverySuggestion:
          "do this on another admin's machine; or, with the vault key: coffer passphrase change --forgotten")
    }
    return try source.open(folder.adminFile, of: genesis, onMachine: machine)
  }

  /// Deletes the keys of an admin that root has removed: they never count again, and must not stay under a passphrase
  /// that is not this machine's any more.
  package static func discard(in folder: VaultFolder) { unsafe unlink(folder.adminFile.path) }
}

extension VaultError {
  /// The error for a wrong passphrase of a machine, by its name if that is known.
  static func wrongPassphrase(of machine: String?) -> VaultError {
    VaultError(
      .authenticationFailed, "wrong passphrase for \(machine?.sanitizedForTerminal() ?? "this machine")",
      recoverySuggestion:
        "each machine has its own; if it is forgotten, start from the vault key: coffer passphrase change --forgotten")
  }

  /// The error for a passphrase that is empty or too long.
  package static let unusablePassphrase = VaultError(
    .invalidArgument, "the passphrase is empty or longer than 1024 bytes", recoverySuggestion: "choose another one")
}

/// How a machine keeps its owner's keys: an admin's keys, and the delivery key.
package enum AdminProtection: Sendable {
  /// In a file that only its owner may read.
  case none
  /// Sealed under a passphrase of 1…1024 bytes.
  case passphrase(SecretText)

  /// Writes a key of the owner to its file, sealed under the passphrase or open. Throws `invalidArgument` for an empty
  /// or overlong passphrase.
  package func write<Key: FileKey>(_ key: Key, of genesis: EntryHash, to file: SecretFile) throws(VaultError) {
    let passphrase: SecretText? = if case .passphrase(let passphrase) = self { passphrase } else { nil }
    let content: KeyFile<Key>
    do throws(CryptoError) {
      content = try KeyFile(genesis: genesis, key: key, passphrase: passphrase)
    } catch .invalidSize {
      throw VaultError.unusablePassphrase
    } catch {
      throw VaultError(error)
    }
    try file.write(content)
  }
}

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
