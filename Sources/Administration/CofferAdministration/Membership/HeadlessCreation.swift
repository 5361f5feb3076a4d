package import Coffer
package import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Creates a headless credential: a read-only machine with keys for some apps.
package struct HeadlessCreation: Sendable {
  /// What the credential is for.
  package struct Request: Sendable {
    fileprivate let name: String
    fileprivate let applications: Set<ApplicationID>
    fileprivate let expires: Timestamp
    fileprivate let isForUnit: Bool

    /// Takes a name that no machine of the vault has, 1 to 64 apps, and the time from which on the machine gets no new
    /// keys. With `isForUnit`, the credential is encrypted for one unit of a service manager, and is in no other file.
    package init(name: String, applications: Set<ApplicationID>, expires: Timestamp, isForUnit: Bool = false) {
      self.isForUnit = isForUnit
      self.name = name
      self.applications = applications
      self.expires = expires
    }
  }

  private let local: LocalVault
  private let passphrase: PassphraseSource
  private let allowsLogFork: Bool

  /// With `allowingLogFork`, changes membership although another machine has seen entries of the log that this one
  /// lacks.
  package init(in local: LocalVault, passphrase: PassphraseSource, allowingLogFork: Bool = false) {
    self.local = local
    self.passphrase = passphrase
    allowsLogFork = allowingLogFork
  }

  /// Appends the machine, its apps and their keys to the log, all or nothing. Call it again if they were not published,
  /// because another machine's entries came first. The entries are of the present if `time` is nil. The credential is
  /// to be handed out when they are published. Throws `invalidArgument` for a name that is not valid or is in use, for
  /// no app or more than 64, and for an app that requires a passphrase.
  package func run(
    _ request: Request, at time: Timestamp? = nil
  ) throws(VaultError) -> (credential: NewHeadlessCredential, position: LogPosition?) {
    // Before a passphrase is asked for.
    _ = try check(request, in: local.membership())
    let session = try AdminSession.open(local, allowingLogFork: allowsLogFork, passphrase: passphrase)
    let machine = PartyKeys.random()
    let (credential, position) = try session.change(allowingLogFork: allowsLogFork, at: time ?? .now) { draft in
      let apps = try check(request, in: draft.membership)
      let (signer, key) = (session.signer, session.keys.signing)
      let device = try draft.enrol(
        DeviceStatement(keys: machine.publicKeys, role: .readOnly(expires: request.expires), name: request.name),
        by: signer, key: key)
      var keys: [HeadlessCredential.App] = []
      for app in apps {
        let own = PartyKeys.random()
        try draft.append(
          .principal(PrincipalStatement(app: app.registration, device: device, keys: own.publicKeys)), by: signer,
          key: key)
        keys.append(HeadlessCredential.App(applicationID: app.id.description, keys: own))
      }
      for app in apps { try draft.grantGroups(of: app.entitlements, by: signer, with: session.keys) }
      // With all transport keys, also one that this machine has made and not published yet.
      let known = try local.deviceFile()
      let transportKeys = try local.store.read { reader in
        try known.transportKeys + local.newTransportKeys(for: known, through: .max, in: reader)
      }
      let file = DeviceFile(
        genesis: draft.membership.genesis.hash, keys: machine, localSecret: .random(count: 32),
        transportKeys: transportKeys)
      return NewHeadlessCredential(
        HeadlessCredential(device: file, seen: draft.membership.head, apps: keys), device: device,
        groups: draft.membership.groups(of: apps))
    }
    return (credential, position)
  }

  /// Returns the apps of a request in ascending order of their identifiers, if it can be fulfilled.
  private func check(_ request: Request, in membership: Membership) throws(VaultError) -> [App] {
    try VaultCreation.checkDeviceName(request.name)
    guard !membership.devices.values.contains(where: { $0.name == request.name && $0.revocation == nil }) else {
      throw VaultError(
        .invalidArgument, "a machine of this vault is named \(request.name.sanitizedForTerminal())",
        recoverySuggestion: "choose another name; see all with: coffer device list")
    }
    guard (1...Limits.appsPerHeadlessCredential).contains(request.applications.count) else {
      throw VaultError(
        .invalidArgument, "a headless credential is for 1 to \(Limits.appsPerHeadlessCredential) apps",
        recoverySuggestion: "name the apps with --apps")
    }
    var apps: [App] = []
    for application in request.applications.sorted(by: { $0.description < $1.description }) {
      guard let app = membership.apps[application] else { throw .notRegistered(application) }
      guard !app.statement.requiresPassphrase else {
        throw VaultError(
          .invalidArgument,
          "\(application) requires a passphrase on each machine, and nobody can type one for a headless credential",
          recoverySuggestion: "leave it out, or register it without a passphrase: coffer app add --no-locked FILE")
      }
      if !request.isForUnit { try membership.checkAllowsFile(for: app) }
      apps.append(app)
    }
    return apps
  }
}

extension Membership {
  /// The names of the groups that apps may read, each once, in ascending order.
  fileprivate func groups(of apps: [App]) -> [String] {
    Set(apps.flatMap { $0.entitlements.groups.map(\.name.description) }).sorted()
  }
}

/// A headless credential that was just created. Its keys exist nowhere else.
package struct NewHeadlessCredential: Sendable {
  private let credential: HeadlessCredential
  /// The identifier of the machine, in hexadecimal.
  package let machineID: String
  /// The full identifiers of its apps, in ascending order.
  package let applications: [String]
  /// The full names of the groups that it reads, in ascending order.
  package let groups: [String]

  init(_ credential: HeadlessCredential, device: DeviceID, groups: [String]) {
    self.credential = credential
    machineID = device.description
    applications = credential.apps.map(\.applicationID)
    self.groups = groups
  }

  /// The text of the file.
  package var text: SecretText {
    var bytes = credential.secretText()
    return SecretText(moving: &bytes)
  }
}
