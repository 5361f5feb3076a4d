package import Coffer
package import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Enrols keys of an app that root has made and keeps: the machine's owner signs them, and never sees the secret ones.
package struct InstalledKeyEnrolment: Sendable {
  private let local: LocalVault
  private let keys: PartyPublicKeys
  private let passphrase: PassphraseSource
  private let despiteClaims: Bool

  /// With `despiteClaims`, changes membership although another machine has seen entries of the log that this one lacks.
  package init(
    of keys: PartyPublicKeys, in local: LocalVault, passphrase: PassphraseSource, despiteClaims: Bool = false
  ) {
    self.keys = keys
    self.local = local
    self.passphrase = passphrase
    self.despiteClaims = despiteClaims
  }

  /// Checks, by the log as it is here, that a credential of the app would separate it from other programs of the user.
  /// Throws `notEntitled` on a member, and if programs of the user can read the keys of the owner, which open every group;
  /// `invalidArgument` for an app that requires a passphrase.
  package static func check(_ application: ApplicationID, in local: LocalVault) throws(VaultError) {
    try checkOwner(of: local)
    guard let app = try local.membership().apps[application] else { throw .notRegistered(application) }
    guard !app.statement.requiresPassphrase else {
      throw VaultError(
        .invalidArgument,
        "\(application) is registered with --locked, so this user's passphrase would have to seal its keys",
        recoverySuggestion:
          "register it without, because the installation guards its keys: coffer app add --no-locked FILE")
    }
  }

  /// Throws `notEntitled` on a member, and if programs of the user can read the keys of the owner.
  package static func checkOwner(of local: LocalVault) throws(VaultError) {
    if let error = try local.memberError() { throw try forMember(error, in: local) }
    guard local.ownerKeyProtection == .passphrase else {
      throw VaultError(
        .notEntitled,
        "the keys of this vault's owner have no passphrase here, so every program of the user can read all groups",
        recoverySuggestion: "set a passphrase first with: coffer passphrase set")
    }
  }

  /// The same error with what its user can do: no other machine can enrol keys that root has made here, and the command of
  /// this process is one that root has started.
  private static func forMember(_ error: VaultError, in local: LocalVault) throws(VaultError) -> VaultError {
    let membership = try local.membership()
    guard error.code == .notEntitled, let machine = local.machine(in: membership) else { return error }
    let appointment = NextCommand.line("admin add", [membership.commandName(of: machine.id)])
    return VaultError(
      error.code, error.message,
      recoverySuggestion:
        "make this machine an admin with the vault key, with `\(appointment)` and `coffer sync`, then repeat the installation"
    )
  }

  /// Appends the principal to the log, all or nothing. Earlier principals of the app on this machine lose their rights:
  /// every program of the user could read their keys. Call it again if it was not published, because another machine's
  /// entries came first. With `despiteNewRecords`, records of theirs that arrive before the push are refused instead of
  /// preventing it.
  package func run(_ application: ApplicationID, despiteNewRecords: Bool) throws(VaultError) -> LogPosition? {
    try Self.check(application, in: local)
    let session = try AdminSession.open(local, despiteClaims: despiteClaims, passphrase: passphrase)
    let installed = InstalledApp(application.bundleID).ownUser(of: application)?.author
    return try session.change(despiteClaims: despiteClaims, despiteNewRecords: despiteNewRecords) { draft in
      guard let app = draft.membership.apps[application] else { throw VaultError.notRegistered(application) }
      // The keys of one that root has installed before were never in a file of the user, and are gone.
      let former = draft.membership.holders(of: application).filter {
        draft.membership.authors[$0]?.device == session.device && $0.description != installed
      }
      if !former.isEmpty {
        let records = try local.store.read { try $0.countedRecords(of: former) }
        let cuts = former.sorted().map { RevocationStatement.CutAuthor(author: $0, groups: nil) }
        try draft.revoke(
          RevokedRights(authors: cuts), keeping: records.map(\.hash), by: session.signer, keys: session.keys)
      }
      try draft.append(
        .principal(PrincipalStatement(app: app.registration, device: session.device, keys: keys)),
        by: session.signer, key: session.keys.signing)
      try draft.grantGroups(of: app.entitlements, by: session.signer, with: session.keys)
    }.position
  }

  /// Returns what root's process needs for the credential. Call it when the log entry of the principal is settled.
  package func receipt(of application: ApplicationID) throws(VaultError) -> InstallationReceipt {
    let membership = try local.settledMembership()
    guard let device = local.machine(in: membership)?.id else {
      throw VaultError(
        .integrity, "this machine is not in the membership log", recoverySuggestion: "clone the vault again")
    }
    return InstallationReceipt(
      vault: membership.vault, genesis: membership.genesis.hash, application: application, device: device,
      author: AuthorID(vault: membership.vault, keys: keys), seen: membership.head)
  }

  /// Deletes the credential file that every program of the user can read.
  package func removeFile(of application: ApplicationID) throws(VaultError) {
    try local.folder.credentialFile(named: application.description).remove()
  }
}
