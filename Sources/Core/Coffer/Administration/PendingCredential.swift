package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferTrust
package import CofferVault

/// A new credential that is written when the log entry of its principal is settled: with a remote, after the push.
package struct PendingCredential: Sendable {
  private let file: SecretFile
  private let credential: Credential

  /// Seals a credential under the machine's passphrase, for an app that requires it. The membership contains the new
  /// principal.
  package init(
    of application: ApplicationID, in folder: VaultFolder, keys: PartyKeys, device: DeviceID, membership: Membership,
    passphrase: SecretText?
  ) throws(VaultError) {
    file = folder.credentialFile(of: application)
    do throws(CryptoError) {
      credential = try Credential(
        genesis: membership.genesis.hash, applicationID: application.description, device: device, keys: keys,
        in: membership.vault, seen: membership.head, passphrase: passphrase)
    } catch {
      throw VaultError(error)
    }
  }

  package static func noPassphrase(for application: ApplicationID) -> VaultError {
    VaultError(
      .invalidArgument, "\(application) requires a passphrase, and this machine has none",
      recoverySuggestion:
        "set one with `coffer passphrase set`, or clone without --no-passphrase; or register the app without --locked")
  }

  /// Writes the credential file. Call it when the log entry of its principal is settled.
  package func install(in local: LocalVault) throws(VaultError) {
    let credential = credential.advanced(to: try local.settledMembership().head)
    // A program that opens its vault at this moment must not overwrite it with the old one.
    let lock = try file.lock(timeout: .seconds(10))
    defer { extendLifetime(lock) }
    try file.write(credential)
  }
}
