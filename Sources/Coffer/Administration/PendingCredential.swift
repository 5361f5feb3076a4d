internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferTrust
package import CofferVault

/// A change of membership that waits for its place in the log: with a remote, for the push that makes it so.
package struct PendingCredential: Sendable {
  private let file: SecretFile
  private let credential: AppCredential

  /// - Parameter passphrase: The machine's, for an app that was registered as locked; nil for others.
  init(
    of application: ApplicationID, in folder: VaultFolder, keys: PartyKeys, device: DeviceID, membership: Membership,
    passphrase: [UInt8]?
  ) throws(VaultError) {
    file = folder.credentialFile(of: application)
    let open = Credential(
      genesis: membership.genesis.hash, applicationID: application.description, device: device, keys: keys,
      seen: membership.head)
    guard let passphrase else {
      credential = .open(open)
      return
    }
    do throws(CryptoError) {
      credential = .locked(try LockedCredential(sealing: open, vault: membership.vault, passphrase: passphrase))
    } catch {
      throw VaultError(error)
    }
  }

  static func noPassphrase(for application: ApplicationID) -> VaultError {
    VaultError(
      .invalidArgument, "\(application) is locked by a passphrase, and this machine has none",
      mend: "make the vault on this machine with a passphrase, or register the app without --locked")
  }

  /// Writes the credential, once its principal stands in the log for good.
  package func install(in local: LocalVault) throws(VaultError) {
    var bytes = credential.secretBytes(advancedTo: try local.settledMembership().head)
    // A program that opens its vault at this moment must not put the old one back.
    let lock = try file.lock(patience: .seconds(10))
    defer { extendLifetime(lock) }
    try file.write(wiping: &bytes)
  }
}
