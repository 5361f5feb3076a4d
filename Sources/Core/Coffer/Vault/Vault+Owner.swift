package import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferSystem
internal import CofferTrust
package import CofferVault
internal import Synchronization

extension Vault {
  /// Identifies the vault and the author within this process.
  package var identifier: String { author.id.description }

  /// Unlocks the vault with the passphrase of this machine's owner, with the timeout of the last unlock. An app whose
  /// keys need no passphrase requires it too, because the vault was locked deliberately. Returns false if the
  /// passphrase is wrong.
  package func unlock(byOwner passphrase: SecretText) throws(VaultError) -> Bool {
    if !needsPassphrase {
      guard let owner = ownerPassphrase, try owner.accepts(passphrase) else { return false }
    }
    do throws(VaultError) {
      try unlock(again: passphrase)
      return true
    } catch {
      guard error.code == .authenticationFailed else { throw error }
      return false
    }
  }

  /// Whether a passphrase exists that unlocks the vault.
  package var canBeUnlockedByOwner: Bool { needsPassphrase || ownerPassphrase != nil }

  /// Whether the vault's keys are sealed under a passphrase, so that unlocking verifies it.
  var needsPassphrase: Bool {
    guard memory == nil else { return false }
    switch author.role {
    case .admin: return (try? local.folder.adminFile.read(AdminFile.self))?.needsPassphrase ?? false
    case .principal(let application, _, _):
      return (try? local.folder.credentialFile(of: application).read(Credential.self))?.needsPassphrase ?? false
    }
  }

  /// Checks the passphrase of this machine's owner: against the admin keys, the delivery key of a member or, if the app
  /// can read neither, against its own locked credential. Nil if none is sealed under a passphrase.
  package var ownerPassphrase: OwnerPassphrase? {
    if let memory { return memory.ownerPassphrase }
    let folder = local.folder
    if let admin = try? folder.adminFile.read(AdminFile.self), admin.needsPassphrase {
      return OwnerPassphrase { (given) throws(VaultError) in
        try Self.opens { _ = try admin.open(passphrase: given) }
      }
    }
    if let delivery = try? folder.deliveryFile.read(DeliveryFile.self), delivery.needsPassphrase {
      return OwnerPassphrase { (given) throws(VaultError) in
        try Self.opens { _ = try delivery.open(passphrase: given) }
      }
    }
    guard case .principal(let application, _, _) = author.role,
      let credential = try? folder.credentialFile(of: application).read(Credential.self), credential.needsPassphrase,
      let id = try? local.membership().vault
    else { return nil }
    return OwnerPassphrase { (given) throws(VaultError) in
      try Self.opens { _ = try credential.open(passphrase: given, in: id) }
    }
  }

  /// Returns false if `body` fails because of a wrong passphrase.
  private static func opens(_ body: () throws -> Void) throws(VaultError) -> Bool {
    do {
      try body()
      return true
    } catch CryptoError.authenticationFailed, CryptoError.invalidSize {
      return false
    } catch {
      throw VaultError(translating: error)
    }
  }
}

extension Vault {
  /// Opens a vault with root's keys, only to read it: before this machine is enrolled, nobody else on it can.
  package static func open(asRootOf local: LocalVault, keys: PartyKeys) throws(VaultError) -> Vault {
    let membership = try local.publishedMembership()
    let author = Author.root(of: membership)
    let vault = Vault(local: local, id: membership.vault, author: author) { (_) throws(VaultError) in
      throw Self.lockedError("the holder of the vault key")
    }
    vault.unlock(with: HeldKeys(keys, of: author.id))
    return vault
  }
}

extension Vault {
  /// Whether the vault is in no folder: made in memory, or read from a repository with a headless credential.
  package var isInMemory: Bool { local.keysInMemory != nil }

  /// The vault's folder.
  package var folder: VaultFolder { local.folder }
}

/// The values that leave the library, and what keeps them in it: one check that each of them passes.
///
/// In a process tree that `coffer run --deny-reads` has started, a vault that a program of Coffer has opened gives no
/// value to its caller until ``releaseValues()``. The vault of an app gives them: it reads what it is registered for.
extension Vault {
  /// Keeps values from callers if this process is in such a tree.
  func keepValuesInDeniedTree() { keepsValues.store(CurrentProcess.deniesReads, ordering: .relaxed) }

  /// Lets values leave: a person has allowed it, or they are for a program that was started with them.
  package func releaseValues() { keepsValues.store(false, ordering: .relaxed) }

  /// Throws `notEntitled` if no value may leave. Values that are compared, moved or copied within the program stay in
  /// it.
  package func checkValuesMayLeave() throws(VaultError) {
    if keepsValues.load(ordering: .relaxed) { throw VaultError.readsAreDenied }
  }
}

extension VaultError {
  /// The error of what would show a value in a process tree that may not see any.
  package static var readsAreDenied: VaultError {
    VaultError(
      .notEntitled, "`coffer run --deny-reads` has started this process tree, and this command shows secrets",
      recoverySuggestion:
        "give the value to a program with `coffer run --env NAME=REFERENCE -- PROGRAM`, or run the command in another terminal"
    )
  }
}
