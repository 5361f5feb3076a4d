package import Coffer
package import CofferCrypto
internal import CofferFormat
internal import CofferKeys
package import CofferTrust
package import CofferVault

/// Seals this machine's admin keys, its delivery key, and the credentials of apps that require it and of the owner's
/// own apps, under a new passphrase, all at once.
///
/// Keys do not change: programs that have the vault open continue, and other machines are not concerned.
package struct PassphraseChange: Sendable {
  private let local: LocalVault
  private let current: PassphraseSource

  /// Begins a change, to be completed with ``finish(_:)``. The current passphrase is asked once, if the machine has
  /// one.
  package static func begin(_ local: LocalVault, current: PassphraseSource) throws(VaultError) -> PassphraseChange {
    let change = PassphraseChange(local: local, current: current.rememberingFirst())
    _ = try change.openKeys(local.membership())
    return change
  }

  /// Opens the keys under the current passphrase. Those of a former admin are not needed any more. A delivery key that
  /// is kept in another way than the admin keys is none of this machine's: it must not be sealed with them.
  private func openKeys(_ membership: Membership) throws(VaultError) -> (admin: PartyKeys?, delivery: AgreementKey?) {
    let (folder, genesis) = (local.folder, membership.genesis.hash)
    let machine = local.machine(in: membership)
    func readDelivery() throws(VaultError) -> AgreementKey {
      try DeliveryKey.read(from: folder, of: genesis, passphrase: current, machine: machine?.name)
    }
    if try local.isKeptAsMember { return (nil, try readDelivery()) }
    let delivery = try local.isDeliveryFileSealedAsAdminFile ? readDelivery() : nil
    return (try AdminKeys.read(from: folder, of: genesis, passphrase: current, machine: machine?.name), delivery)
  }

  /// Replaces the files, in one step that a crash does not divide. Throws `authenticationFailed` if another program has
  /// changed the passphrase in the meantime, or an app's credential is sealed under another one. If it throws, the old
  /// passphrase still counts. Returns the apps whose credentials are sealed.
  @discardableResult
  package func finish(_ new: SecretText) throws(VaultError) -> [ApplicationID] {
    let folder = local.folder
    let membership = try local.membership()
    let lock = try FileLock.acquire(
      path: folder.membershipLockPath, timeout: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    // Read again: until the lock was held, another program could replace them.
    let keys = try openKeys(membership)
    var credentials: [(application: String, credential: Credential)] = []
    for application in try folder.credentialNames() {
      let credential = try folder.credentialFile(named: application).read(Credential.self)
      let isOwn = ApplicationID(credential.applicationID).map(OwnApps.contains) ?? false
      guard credential.needsPassphrase || isOwn, credential.genesis == membership.genesis.hash else { continue }
      credentials.append((application, try sealed(credential, of: membership.vault, under: new)))
    }
    if keys.admin == nil { AdminKeys.discard(in: folder) }
    try KeyReplacement.run(in: folder, applications: credentials.map(\.application)) { (draft) throws(VaultError) in
      let (genesis, protection) = (membership.genesis.hash, AdminProtection.passphrase(new))
      if let admin = keys.admin { try protection.write(admin, of: genesis, to: draft.adminFile) }
      if let delivery = keys.delivery { try protection.write(delivery, of: genesis, to: draft.deliveryFile) }
    } draftCredentials: { (draft) throws(VaultError) in
      for (application, credential) in credentials {
        // The app may have seen more of the log since.
        let seen = try folder.credentialFile(named: application).read(Credential.self).seen
        try draft.credentialFile(named: application).write(credential.advanced(to: seen))
      }
    }
    return credentials.compactMap { ApplicationID($0.credential.applicationID) }
  }

  /// Seals the credentials of the owner's own apps that are in open files, under the passphrase that the machine has.
  /// Returns these apps. Nobody is asked if there are none.
  package static func sealOwnApps(
    in local: LocalVault, passphrase: PassphraseSource
  ) throws(VaultError) -> [ApplicationID] {
    let unsealed = try OwnApps.unsealed(in: local)
    guard !unsealed.isEmpty else { return [] }
    let current = passphrase.rememberingFirst()
    try begin(local, current: current).finish(try current.passphrase())
    return unsealed
  }

  private func sealed(
    _ credential: Credential, of vault: VaultID, under new: SecretText
  ) throws(VaultError) -> Credential {
    let passphrase = credential.needsPassphrase ? try current.passphrase() : nil
    let keys: PartyKeys
    do throws(CryptoError) {
      keys = try credential.open(passphrase: passphrase, in: vault)
    } catch {
      guard error == .authenticationFailed || error == .invalidSize else { throw VaultError(error) }
      throw VaultError(
        .authenticationFailed,
        "the credential of \(credential.applicationID) is sealed under another passphrase; nothing was changed",
        recoverySuggestion: "give the app a new one with: coffer app install \(credential.applicationID)")
    }
    do throws(CryptoError) {
      return try Credential(
        genesis: credential.genesis, applicationID: credential.applicationID, device: credential.device, keys: keys,
        in: vault, seen: credential.seen, passphrase: new)
    } catch .invalidSize {
      throw VaultError.unusablePassphrase
    } catch {
      throw VaultError(error)
    }
  }
}
