package import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Takes the credentials of apps that an admin has delivered to this machine.
package struct AppDelivery: Sendable {
  private let local: LocalVault
  private let passphrase: PassphraseSource

  /// Whether the files of this vault belong to an account that only the app uses.
  private let hasOwnAccount: Bool

  package init(to local: LocalVault, passphrase: PassphraseSource, hasOwnAccount: Bool = false) {
    self.hasOwnAccount = hasOwnAccount
    self.local = local
    self.passphrase = passphrase
  }

  /// Whether this machine is a member, which gets the keys of its apps from admins.
  package static func isNeeded(on local: LocalVault) throws(VaultError) -> Bool {
    if let error = try local.revocationError() { throw error }
    return try local.machine(in: local.membership())?.role == .member
  }

  /// Whether an admin has delivered an app's keys to this machine, and these have rights.
  package func isThere(_ application: ApplicationID) throws(VaultError) -> Bool {
    try delivered(application, in: local.publishedMembership()) != nil
  }

  /// Opens an app's keys and writes them as its credential. A credential that is there is replaced. Throws
  /// `notEntitled` if the app is not registered or not delivered to this machine, and `integrity` if the keys do not
  /// open.
  package func install(_ application: ApplicationID) throws(VaultError) {
    let membership = try local.publishedMembership()
    guard let app = membership.apps[application] else { throw .notRegistered(application) }
    if !hasOwnAccount { try membership.checkAllowsFile(for: app) }
    guard let machine = local.machine(in: membership), let author = delivered(application, in: membership),
      let delivery = author.delivery
    else { throw try local.explaining(missing(application, in: membership)) }
    let source = passphrase.rememberingFirst()
    let key = try DeliveryKey.read(
      from: local.folder, of: membership.genesis.hash, passphrase: source, machine: membership.name(of: machine.id))
    var secret: SecretText?
    if app.statement.requiresPassphrase || OwnApps.contains(application) {
      if try local.folder.deliveryFile.read(DeliveryFile.self).needsPassphrase {
        secret = try source.passphrase()
      } else if app.statement.requiresPassphrase {
        throw PendingCredential.noPassphrase(for: application)
      }
    }
    let credential = try PendingCredential(
      of: application, in: local.folder, keys: DeliveryKey.open(delivery, of: author, with: key), device: machine.id,
      membership: membership, passphrase: secret)
    try credential.install(in: local)
  }

  /// The app's author whose keys were delivered to this machine: one with all rights, if there is one.
  private func delivered(_ application: ApplicationID, in membership: Membership) -> Author? {
    guard let machine = local.machine(in: membership) else { return nil }
    let found = membership.delivered(application, to: machine.id)
    return found.first(where: membership.hasAllRights) ?? found.first
  }

  private func missing(_ application: ApplicationID, in membership: Membership) -> VaultError {
    let name = local.machine(in: membership).map { membership.name(of: $0.id) } ?? "this machine"
    let advice =
      membership.adminNames.map {
        "on \($0), run: coffer app install \(application.bundleID) --on \(name.shellWord); then repeat this command"
      } ?? "make a machine an admin with the vault key: coffer admin add NAME"
    return VaultError(
      .notEntitled, "no admin has given \(application.bundleID) to this machine, \(name)", recoverySuggestion: advice)
  }
}
