internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust

extension Vault {
  /// Tells vaults apart.
  package var identifier: String { author.id.description }

  /// Unlocks for a call, by the passphrase of this machine's owner: false for another one. Whoever locked the vault meant it, so an
  /// app whose keys need no passphrase asks for it too. How long the keys stay is as it was the last time.
  package func unlock(byOwner passphrase: [UInt8]) throws(VaultError) -> Bool {
    if !isUnderPassphrase {
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

  /// False where no passphrase of anybody's would unlock the vault for a call.
  package var canBeUnlockedByOwner: Bool { isUnderPassphrase || ownerPassphrase != nil }

  /// True where the vault's keys are had by a passphrase only, which unlocking then proves.
  private var isUnderPassphrase: Bool {
    guard memory == nil else { return false }
    switch author.role {
    case .admin: return (try? local.folder.adminFile.read { try AdminFile(secretBytes: $0) })?.needsPassphrase ?? false
    case .principal(let application, _, _):
      return (try? AppCredential(file: local.folder.credentialFile(of: application)))?.isLocked ?? false
    }
  }

  /// The passphrase of this machine's owner: the one that the admin keys are under or, where the app cannot see those, its own
  /// locked credential. Nil where there is none that this app could check.
  package var ownerPassphrase: OwnerPassphrase? {
    if let memory { return memory.ownerPassphrase }
    let folder = local.folder
    if let admin = try? folder.adminFile.read({ try AdminFile(secretBytes: $0) }), admin.needsPassphrase {
      return OwnerPassphrase { (given) throws(VaultError) in
        try Self.opens { _ = try admin.open(passphrase: given) }
      }
    }
    guard case .principal(let application, _, _) = author.role,
      case .locked(let credential)? = try? AppCredential(file: folder.credentialFile(of: application)),
      let id = try? local.membership().vault
    else { return nil }
    return OwnerPassphrase { (given) throws(VaultError) in
      try Self.opens { _ = try credential.open(passphrase: given, vault: id) }
    }
  }

  /// Whether the passphrase opened what it was tried on.
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
