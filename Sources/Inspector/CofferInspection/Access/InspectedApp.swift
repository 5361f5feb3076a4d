internal import Coffer
package import CofferAdministration
internal import CofferFormat
package import CofferPlatform
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// A registered app.
package struct InspectedApp: Hashable, Sendable {
  /// The app on one machine.
  package struct Place: Hashable, Sendable {
    /// The machine's identifier.
    package let machineID: String
    package let machine: String
    package let isThisMachine: Bool
    /// The number of records that the app has written there, with superseded versions.
    package let recordCount: Int
    /// When the app wrote there last, as far as this machine has seen it.
    package let lastWrite: Date?
  }

  /// A machine on which the app was removed from the vault.
  package struct FormerPlace: Hashable, Sendable {
    /// The machine's identifier.
    package let machineID: String
    package let machine: String
    package let revocation: InspectedRevocation
  }

  /// The full application identifier.
  package let id: String
  package let bundleID: String
  package let registered: Date
  /// The number of the log entry that registered the app last.
  package let registrationEntry: UInt64
  /// Who signed this entry.
  package let registeredBy: String
  /// Whether another machine's change could still replace this registration: the remote does not have it yet.
  package let isUnpublished: Bool
  /// The team prefix in the plist that is read as the vault's; nil if there is none.
  package let sourcePrefix: String?
  /// Whether each machine seals the app's credential under its passphrase.
  package let requiresPassphrase: Bool
  /// How the app proves on this machine that it is this app.
  package let evidence: AppEvidence
  package let rights: [GroupRight]
  /// The entitlements plist as registered.
  package let plist: PropertyListText
  /// The machines on which the app has keys.
  package let places: [Place]
  /// The machines on which it had keys until it was removed there, the last one first.
  package let formerPlaces: [FormerPlace]

  init(_ app: App, in facts: AccessFacts) {
    id = app.id.description
    bundleID = app.id.bundleID.description
    registered = app.registered.date
    let entry = facts.log.lastRegistration[app.id.description]
    registrationEntry = entry?.sequence ?? 0
    registeredBy = entry.map { facts.log.signer(of: $0) } ?? "unknown"
    isUnpublished = facts.settled.apps[app.id]?.registration != app.registration
    sourcePrefix = app.statement.sourcePrefix
    requiresPassphrase = app.statement.requiresPassphrase
    evidence = facts.evidence(of: app)
    rights = app.entitlements.groups.map { GroupRight($0, of: app, in: facts) }
    plist = PropertyListText(app.statement.entitlements)
    places = facts.sortedMachines.compactMap { machine in
      guard let principals = facts.principals[PrincipalPlace(app: app.id, machine: machine.id)] else { return nil }
      let activity = principals.compactMap { facts.activity[$0.id] }
      return Place(
        machineID: machine.id.description, machine: facts.name(of: machine.id), isThisMachine: machine.id == facts.own,
        recordCount: activity.reduce(0) { $0 + $1.recordCount },
        lastWrite: activity.map(\.last).max()?.date)
    }
    formerPlaces = Self.formerPlaces(of: app.id, in: facts)
  }

  private static func formerPlaces(of app: ApplicationID, in facts: AccessFacts) -> [FormerPlace] {
    var last: [DeviceID: InspectedRevocation] = [:]
    for author in facts.membership.authors.values where author.application == app {
      guard let revocation = (author.cut?.revocation).flatMap({ facts.revocation(at: $0) }),
        facts.principals[PrincipalPlace(app: app, machine: author.device)] == nil,
        last[author.device].map({ $0.entry < revocation.entry }) ?? true
      else { continue }
      last[author.device] = revocation
    }
    return last.map { machine, revocation in
      FormerPlace(machineID: machine.description, machine: facts.name(of: machine), revocation: revocation)
    }.sorted { ($0.revocation.entry, $0.machineID) > ($1.revocation.entry, $1.machineID) }
  }
}

extension AccessFacts {
  /// The registered apps in ascending order of their identifiers.
  package var apps: [InspectedApp] { sortedApps.map { InspectedApp($0, in: self) } }

  /// Returns an app by its full identifier; nil if it is not registered.
  package func app(_ id: String) -> InspectedApp? {
    ApplicationID(id).flatMap { membership.apps[$0] }.map { InspectedApp($0, in: self) }
  }
}
