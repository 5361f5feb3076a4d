internal import CofferCrypto
package import CofferFormat
internal import CofferStore
package import CofferTrust

/// Registers apps and gives them credentials on this machine.
package struct AppRegistration: Sendable {
  private let local: LocalVault
  private let passphrase: PassphraseSource

  package init(_ local: LocalVault, passphrase: PassphraseSource) {
    self.local = local
    self.passphrase = passphrase
  }

  /// What a registration did.
  package struct Outcome: Sendable {
    package let application: ApplicationID
    package let entitlements: Entitlements
    /// False where the same plist was registered already.
    package let isChanged: Bool
    /// To be installed once the change is in its place; nil where this machine has a credential that works.
    package let credential: PendingCredential?
    /// Where the change stands in the log; nil where nothing had to be changed.
    package fileprivate(set) var position: LogPosition?
  }

  /// Registers an app by its plist, or a changed plist of a registered app, and mints its credential on this machine.
  ///
  /// - Parameters:
  ///   - bundleID: Stands for `$(CFBundleIdentifier)`.
  ///   - sourcePrefix: A prefix in the plist that stands for the team's.
  ///   - isLocked: True puts the app's credential under each machine's passphrase; nil leaves it as it was registered.
  package func register(
    plist: [UInt8], source: String, bundleID: String?, sourcePrefix: String?, isLocked: Bool? = nil
  ) throws(VaultError) -> Outcome {
    var bundle: BundleID?
    if let bundleID {
      guard let valid = BundleID(bundleID) else {
        throw VaultError(.invalidArgument, "the bundle identifier is malformed", mend: "it has \(BundleID.form)")
      }
      bundle = valid
    }
    let team = try local.membership().team
    let entitlements: Entitlements
    do throws(EntitlementsError) {
      entitlements = try EntitlementsDocument(bytes: plist, source: source)
        .expanded(team: team, bundleID: bundle, sourcePrefix: sourcePrefix)
    } catch {
      throw VaultError(error)
    }
    let application = entitlements.applicationID
    let session = try AdminSession(local, passphrase: passphrase)
    var (outcome, position) = try session.change { draft in
      let earlier = draft.membership.apps[application]
      let statement = AppStatement(
        applicationID: application.description, bundleID: application.bundleID.description, sourcePrefix: sourcePrefix,
        isLocked: isLocked ?? earlier?.statement.isLocked ?? false, entitlements: plist)
      if let earlier, earlier.statement != statement {
        do throws(EntitlementsError) {
          try earlier.entitlements.checkSubset(of: entitlements, source: source)
        } catch {
          throw VaultError(
            .invalidArgument,
            "\(source) takes \(error.group ?? "a right") away from \(application), which is registered with it",
            mend: "keep the group in the plist: taking rights away is a revocation, which this version cannot do yet")
        }
      }
      let isChanged = earlier?.statement != statement
      if isChanged { try draft.append(.app(statement), by: session.signer, key: session.keys.signing) }
      let credential = try mint(application, draft: &draft, session: session, onlyIfMissing: true)
      return Outcome(
        application: application, entitlements: entitlements, isChanged: isChanged, credential: credential,
        position: nil)
    }
    outcome.position = position
    return outcome
  }

  /// Mints a credential for an app that was registered before, replacing one that is lost or does not work.
  ///
  /// - Returns: The credential, to be installed once its log entry, at `position`, is in its place.
  package func install(
    _ application: ApplicationID
  ) throws(VaultError) -> (credential: PendingCredential, position: LogPosition?) {
    let session = try AdminSession(local, passphrase: passphrase)
    let (credential, position) = try session.change { draft in
      guard draft.membership.apps[application] != nil else {
        throw VaultError(
          .notEntitled, "\(application) is not registered in this vault",
          mend: "register it with: coffer app add FILE.entitlements")
      }
      guard let credential = try mint(application, draft: &draft, session: session, onlyIfMissing: false) else {
        throw VaultError(.io, "no credential was made for \(application)")
      }
      return credential
    }
    return (credential, position)
  }

  /// Creates the groups that are missing, a principal where one is needed, and hands out the keys.
  private func mint(
    _ application: ApplicationID, draft: inout LogDraft, session: AdminSession, onlyIfMissing: Bool
  ) throws(VaultError) -> PendingCredential? {
    guard let app = draft.membership.apps[application] else { return nil }
    let file = local.folder.credentialFile(of: application)
    var credential: PendingCredential?
    if !(onlyIfMissing && works(file, app, draft.membership)) {
      let keys = PartyKeys.random()
      try draft.append(
        .principal(PrincipalStatement(app: app.registration, device: session.device, keys: keys.publicKeys)),
        by: session.signer, key: session.keys.signing)
      var passphrase = app.statement.isLocked ? try session.passphrase(of: application) : nil
      defer { passphrase?.wipe() }
      credential = try PendingCredential(
        of: application, in: local.folder, keys: keys, device: session.device, membership: draft.membership,
        passphrase: passphrase)
    }
    try draft.handOutGroups(of: app.entitlements, as: session.id, with: session.keys)
    return credential
  }

  /// True for a credential that is the app's, and under the passphrase exactly where the app is registered so.
  private func works(_ file: SecretFile, _ app: App, _ membership: Membership) -> Bool {
    guard file.exists, let credential = try? AppCredential(file: file) else { return false }
    return credential.genesis == membership.genesis.hash && credential.isLocked == app.statement.isLocked
      && membership.authors[credential.author(in: membership.vault)] != nil
      && credential.applicationID == app.id.description
  }
}
