package import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferTrust
internal import CofferVault

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
  private var needsPassphrase: Bool {
    guard memory == nil else { return false }
    switch author.role {
    case .admin: return (try? local.folder.adminFile.read(AdminFile.self))?.needsPassphrase ?? false
    case .principal(let application, _, _):
      return (try? local.folder.credentialFile(of: application).read(Credential.self))?.needsPassphrase ?? false
    }
  }

  /// Checks the passphrase of this machine's owner: against the admin keys, the delivery key of a member or, if the app can
  /// read neither, against its own locked credential. Nil if none is sealed under a passphrase.
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
