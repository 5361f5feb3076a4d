internal import CofferCrypto
package import CofferFormat
internal import CofferStore
package import CofferTrust
internal import CofferVault

/// Registers apps, and creates their credentials on this machine.
package struct AppRegistration: Sendable {
  private let local: LocalVault
  private let passphrase: PassphraseSource
  private let despiteClaims: Bool

  /// - Parameters:
  ///   - local: The vault.
  ///   - passphrase: The source of this machine's passphrase.
  ///   - despiteClaims: Whether membership is changed although another machine has seen entries of the log that this one
  ///     does not have.
  package init(_ local: LocalVault, passphrase: PassphraseSource, despiteClaims: Bool = false) {
    self.local = local
    self.passphrase = passphrase
    self.despiteClaims = despiteClaims
  }

  /// The result of a registration.
  package struct Outcome: Sendable {
    package let application: ApplicationID
    package let entitlements: Entitlements
    /// False if the same plist was registered before.
    package let isChanged: Bool
    /// The credential to install when the change is settled; nil if this machine has one that works.
    package let credential: PendingCredential?
    /// The position of the change in the log; nil if no change was necessary.
    package fileprivate(set) var position: LogPosition?
  }

  /// Registers an app by its plist, or a changed plist of a registered app, and creates its credential on this machine.
  ///
  /// - Parameters:
  ///   - plist: The entitlements plist.
  ///   - source: The plist's name in errors.
  ///   - bundleID: The value of `$(CFBundleIdentifier)`; nil if the plist does not use it.
  ///   - sourcePrefix: A literal prefix in the plist that is mapped to the team's; nil for none.
  ///   - requiresPassphrase: Whether each machine seals the app's credential under its passphrase; nil leaves it as it
  ///     was registered.
  /// - Returns: The result, with the credential to install.
  /// - Throws: ``VaultError``: `notEntitled` for a plist that is not valid; `invalidArgument` if it removes rights;
  ///   `integrity` if the log has forked, or lacks entries that other machines have seen; the errors of the admin keys.
  package func register(
    plist: [UInt8], source: String, bundleID: String?, sourcePrefix: String?, requiresPassphrase: Bool? = nil
  ) throws(VaultError) -> Outcome {
    var bundle: BundleID?
    if let bundleID {
      guard let valid = BundleID(bundleID) else {
        throw VaultError(
          .invalidArgument, "the bundle identifier is malformed", recoverySuggestion: "it has \(BundleID.form)")
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
    try Self.checkKeepsRights(entitlements, of: local.membership().apps[application], source: source)
    let session = try AdminSession.open(local, despiteClaims: despiteClaims, passphrase: passphrase)
    var (outcome, position) = try session.change(despiteClaims: despiteClaims) { draft in
      let earlier = draft.membership.apps[application]
      let statement = AppStatement(
        applicationID: application.description, bundleID: application.bundleID.description, sourcePrefix: sourcePrefix,
        requiresPassphrase: requiresPassphrase ?? earlier?.statement.requiresPassphrase ?? false,
        groups: entitlements.stated, entitlements: plist)
      let isChanged = earlier.map { !statement.repeats($0.statement) } ?? true
      if isChanged {
        try Self.checkKeepsRights(entitlements, of: earlier, source: source)
        try draft.append(.app(statement), by: session.signer, key: session.keys.signing)
      }
      let credential = try createCredential(application, draft: &draft, session: session, onlyIfMissing: true)
      return Outcome(
        application: application, entitlements: entitlements, isChanged: isChanged, credential: credential,
        position: nil)
    }
    outcome.position = position
    return outcome
  }

  /// Throws `invalidArgument` if a plist removes rights from an app that is registered already.
  private static func checkKeepsRights(
    _ entitlements: Entitlements, of earlier: App?, source: String
  ) throws(VaultError) {
    do throws(EntitlementsError) {
      try earlier?.entitlements.checkSubset(of: entitlements, source: source)
    } catch {
      throw VaultError(
        .invalidArgument,
        "\(source) removes \(error.group ?? "a right") from \(entitlements.applicationID), which is registered with it",
        recoverySuggestion:
          "keep the group in the plist: removing rights is a revocation, which this version does not support yet")
    }
  }

  /// Creates a credential for a registered app, and replaces one that is lost or does not work.
  ///
  /// - Parameter application: The app.
  /// - Returns: The credential, to be installed when its log entry is settled, and the position of that entry.
  /// - Throws: ``VaultError``: `notEntitled` if the app is not registered; the errors of the admin keys.
  package func install(
    _ application: ApplicationID
  ) throws(VaultError) -> (credential: PendingCredential, position: LogPosition?) {
    let session = try AdminSession.open(local, despiteClaims: despiteClaims, passphrase: passphrase)
    let (credential, position) = try session.change(despiteClaims: despiteClaims) { draft in
      guard draft.membership.apps[application] != nil else {
        throw VaultError(
          .notEntitled, "\(application) is not registered in this vault",
          recoverySuggestion: "register it with: coffer app add FILE.entitlements")
      }
      guard let credential = try createCredential(application, draft: &draft, session: session, onlyIfMissing: false)
      else {
        throw VaultError(.io, "no credential was made for \(application)")
      }
      return credential
    }
    return (credential, position)
  }

  /// Appends the entries for missing groups, for a principal if one is needed, and for missing keys.
  private func createCredential(
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
      let passphrase = app.statement.requiresPassphrase ? try session.passphrase(of: application) : nil
      credential = try PendingCredential(
        of: application, in: local.folder, keys: keys, device: session.device, membership: draft.membership,
        passphrase: passphrase)
    }
    try draft.grantGroups(of: app.entitlements, as: session.id, with: session.keys)
    return credential
  }

  /// Whether a credential belongs to the app, and is sealed under a passphrase exactly if the registration requires it.
  private func works(_ file: SecretFile, _ app: App, _ membership: Membership) -> Bool {
    guard file.exists, let credential = try? AppCredential.read(from: file) else { return false }
    return credential.genesis == membership.genesis.hash
      && credential.needsPassphrase == app.statement.requiresPassphrase
      && membership.authors[credential.author(in: membership.vault)].map { $0.cut == nil && $0.groupCuts.isEmpty }
        == true
      && credential.applicationID == app.id.description
  }
}
