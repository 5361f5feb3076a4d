package import Coffer
package import CofferFormat
package import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Who may read and write what in a vault, and with which keys, as its membership log says and this machine knows.
/// Reading it needs no passphrase.
package struct AccessFacts: Sendable {
  /// The membership that counts.
  package let membership: Membership
  /// The membership that apps use: without entries that may still be discarded.
  package let published: Membership
  package let log: LogIndex
  /// The fork of the log; nil if there is none.
  package let fork: LogFork?
  /// This machine; nil for a vault in memory.
  package let own: DeviceID?
  /// This machine's credentials of the registered apps.
  package let credentials: [ApplicationID: CredentialStatus]
  /// How this machine keeps its owner's keys.
  package let ownerKeys: KeyProtection
  /// The numbers of items by access group and class.
  package let itemCounts: [GroupID: [ItemClass: Int]]
  /// The numbers of items in conflict by access group.
  package let conflictCounts: [GroupID: Int]
  /// The records of each author, as the store's rows tell.
  package let activity: [AuthorID: AuthorActivity]
  /// The records that do not count, because the log does not let their author write them.
  package let unadmitted: UnadmittedRecords
  /// The principals of every app on every machine, the latest first.
  package let principals: [PrincipalPlace: [Author]]
  /// The last revocation of the published log with the machines that have not shown yet that they know it; nil if
  /// nothing was removed.
  package let lastRevocation: (revocation: Revocation, unconfirmed: Set<DeviceID>)?

  /// Reads the facts of a vault. `withActivity` also reads when each author wrote last, from every record's row.
  package static func read(from local: LocalVault, withActivity: Bool = true) throws(VaultError) -> AccessFacts {
    // Without a revocation, nobody has anything to confirm.
    let device = try local.membership().revocations.isEmpty ? nil : local.deviceFile()
    let (branches, membership, published, log, items, conflicts, activity, unadmitted, unconfirmed) =
      try translatingErrors {
        try local.store.read { reader in
          let membership = try local.membership(in: reader)
          var items: [GroupID: [ItemClass: Int]] = [:]
          var conflicts: [GroupID: Int] = [:]
          for group in membership.groups.keys {
            for itemClass in ItemClass.allCases {
              items[group, default: [:]][itemClass] = try reader.itemCount(in: group, of: itemClass)
            }
            conflicts[group] = try reader.conflictCount(in: group)
          }
          let published = try local.publishedLog(in: reader).membership
          return (
            try local.branches(in: reader), membership, published,
            try LogIndex.read(from: reader, genesis: membership.genesis, through: membership.head.sequence), items,
            conflicts,
            withActivity ? try reader.authorActivity() : [],
            try UnadmittedRecords.load(from: reader, of: local, in: membership),
            try device.map { try UnacknowledgedRevocation.all(in: reader, published, openedBy: $0).map(\.machine) }
              ?? []
          )
        }
      }
    return AccessFacts(
      membership: membership, published: published, log: log, fork: branches.fork,
      own: local.machine(in: branches.chain)?.id,
      credentials: Dictionary(
        uniqueKeysWithValues: membership.apps.keys.map { ($0, local.credentialStatus(of: $0, in: published)) }),
      ownerKeys: local.keysInMemory == nil ? local.ownerKeyProtection : .absent, itemCounts: items,
      conflictCounts: conflicts,
      activity: Dictionary(uniqueKeysWithValues: activity.map { ($0.author, $0) }), unadmitted: unadmitted,
      principals: principals(in: membership, log),
      lastRevocation: published.revocations.last.map { ($0, Set(unconfirmed)) })
  }

  /// How a program proves on this machine that it is an app.
  package func evidence(of app: App) -> AppEvidence {
    AppEvidence(of: app, credentials[app.id], owner: ownerKeys, asking: request(for: app.id))
  }

  /// How a program proves that it is an app of a full identifier; nil if the app is not registered.
  package func evidence(named identifier: String) -> AppEvidence? {
    ApplicationID(identifier).flatMap { membership.apps[$0] }.map(evidence)
  }

  /// The registered apps in ascending order of their identifiers.
  package var sortedApps: [App] { membership.apps.values.sorted { $0.id.description < $1.id.description } }

  /// The registered groups in ascending order of their names.
  package var sortedGroups: [RegisteredGroup] {
    membership.groups.values.sorted { $0.name.description < $1.name.description }
  }

  /// The machines in the order in which they were enrolled.
  package var sortedMachines: [Device] {
    membership.members.sorted {
      ($0.enrolled.microseconds, $0.name, $0.id) < ($1.enrolled.microseconds, $1.name, $1.id)
    }
  }

  private static func principals(in membership: Membership, _ log: LogIndex) -> [PrincipalPlace: [Author]] {
    var found: [PrincipalPlace: [Author]] = [:]
    for author in membership.authors.values {
      guard case .principal(let app, _, let machine) = author.role, author.cut == nil else { continue }
      found[PrincipalPlace(app: app, machine: machine), default: []].append(author)
    }
    return found.mapValues { authors in
      authors.sorted { (log.principals[$0.id]?.sequence ?? 0) > (log.principals[$1.id]?.sequence ?? 0) }
    }
  }

  /// Whether the newest key of a group is sealed to an author.
  package func hasKey(_ author: AuthorID, of group: RegisteredGroup) -> Bool {
    group.generations.last?.boxes[author] != nil
  }

  /// The headless credential with which the vault is read; nil on a machine that may write.
  var headlessMachine: Device? { own.flatMap { membership.devices[$0] }.flatMap { $0.isReadOnly ? $0 : nil } }

  /// Returns what to do so that an app is given to this machine; nil if the machine is no member, or was given the app.
  package func request(for app: ApplicationID) -> String? {
    guard let own, !membership.offeredApps(on: own).contains(app) else { return nil }
    guard headlessMachine == nil else { return "Create a headless credential with it: \(HeadlessVault.createCommand)" }
    let command = "coffer app install \(app.bundleID) --on \(name(of: own).shellWord)"
    return membership.adminNames.map { "On \($0), run: \(command); then here: coffer app install \(app.bundleID)" }
      ?? "Make a machine an admin first, with the vault key: coffer admin add NAME"
  }

  /// Returns the number of items in a group.
  package func itemCount(in group: GroupID) -> Int { itemCounts[group, default: [:]].values.reduce(0, +) }

  /// Returns the name of a machine, safe to show.
  package func name(of machine: DeviceID) -> String { membership.name(of: machine) }
}

/// An app on a machine.
package struct PrincipalPlace: Hashable, Sendable {
  package let app: ApplicationID
  package let machine: DeviceID

  package init(app: ApplicationID, machine: DeviceID) {
    self.app = app
    self.machine = machine
  }
}

/// How a program proves on this machine that it is an app.
package struct AppEvidence: Hashable, Sendable {
  /// How the app's credential is kept here.
  package let protection: KeyProtection
  /// What keeps other programs of the user from it.
  package let enforcement: AppEnforcement
  /// The program of the desktop that the app stands for; nil for an app that opens the vault itself.
  package let desktop: DesktopProgram?
  /// What that means, as a sentence.
  package let sentence: String
  /// What to do, as an instruction; nil if nothing is missing.
  package let advice: String?

  /// Creates the evidence from an app's credential on this machine, nil for none, and from how the machine keeps its
  /// owner's keys. `request` is what to do so that the app is given to this machine, a member; nil if it can take a
  /// credential.
  package init(of app: App, _ credential: CredentialStatus?, owner: KeyProtection, asking request: String? = nil) {
    protection = credential?.protection ?? .absent
    enforcement = AppEnforcement(credential, owner: owner)
    let desktop = DesktopProgram(app.id.bundleID)
    self.desktop = desktop
    let served =
      desktop.map { " \($0.sentence)" } ?? (enforcement == .sandbox ? " \(AppEnforcement.sandboxSentence)" : "")
    let installation = "sudo coffer app install \(app.id.bundleID) --setgid PROGRAM"
    switch protection {
    case .installed:
      let kept =
        credential?.enforcement == .account
        ? "The app's credential is in an account that only this app uses."
        : "The app's credential is installed: only its program can read it, and no other one of this user."
      sentence =
        (enforcement == .install
          ? kept
          : "\(kept) But the owner's keys have no passphrase, so every process of this user can read them, and with them all groups.")
        + served
      advice = enforcement == .install ? nil : "Protect the owner's keys with: coffer passphrase set"
    case .open:
      let isOwn = OwnApps.contains(app.id)
      let isUnprotected = isOwn && owner == .passphrase ? " This machine's passphrase does not protect it." : ""
      sentence =
        "The app's credential is a file that every process of this user can read, and with it act as the app."
        + isUnprotected + served
      advice =
        isOwn
        ? "Seal it under this machine's passphrase with: coffer passphrase \(owner == .passphrase ? "change" : "set")"
        : "\(owner == .open ? "Set a passphrase with `coffer passphrase set` first. " : "")To keep other programs from it, \(enforcement == .sandbox ? "" : "install the app's program with `\(installation)`, or ")seal it under the machine's passphrase with: coffer app add --locked \(app.id.bundleID)"
    case .passphrase:
      sentence =
        "The app's credential is sealed under this machine's passphrase, which the app has to ask for. While it is unlocked, a debugger of this user can read its memory.\(served)"
      advice = nil
    case .absent:
      sentence =
        request == nil
        ? "The app has no credential on this machine, so it cannot open the vault here."
        : "The app was not given to this machine, which is no admin, so it cannot open the vault here."
      advice = request ?? "Give it a credential with: coffer app install \(app.id.bundleID)"
    case .unusable:
      sentence =
        "The app's credential on this machine does not work: \(credential?.problem?.message ?? "it is damaged")."
      advice = credential?.problem?.recoverySuggestion?.asSentence
    }
  }
}
