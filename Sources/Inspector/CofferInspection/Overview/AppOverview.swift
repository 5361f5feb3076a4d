package import Coffer
package import CofferPlatform

/// The first look at a vault for a person who acts as an app: the part of ``Overview`` that the app may see.
package struct AppOverview: Sendable {
  package let app: InspectedApp
  /// The app's access groups, in ascending order of their names.
  package let groups: [Overview.Group]
  /// What concerns the app or its groups, the most urgent first.
  package let attention: [Attention]

  package var itemCount: Int { groups.reduce(0) { $0 + $1.itemCount } }

  init(_ overview: Overview, app: InspectedApp, groups names: Set<String>) {
    self.app = app
    groups = overview.groups.filter { names.contains($0.id) }
    let groups = groups
    attention = overview.attention.compactMap { $0.seen(by: app, in: groups) }
  }
}

extension InspectedVault {
  /// Returns what an app, by its full identifier, may see of the overview. Throws `itemNotFound` if the app is no
  /// longer registered.
  package func overview(of application: String, now: Date = Date()) throws(VaultError) -> AppOverview {
    guard let app = try access(withActivity: false).app(application) else { throw Self.unknownApp }
    return AppOverview(try overview(now: now), app: app, groups: Set(try vault.accessGroups.map(\.name)))
  }

  /// The error for an app that is not registered.
  package static let unknownApp = VaultError(
    .itemNotFound, "no such app is registered", recoverySuggestion: "choose one from the list of apps")
}

extension Attention {
  /// Returns what an app sees of this: what concerns its own groups, records and credential; nil for the rest.
  fileprivate func seen(by app: InspectedApp, in groups: [Overview.Group]) -> Attention? {
    switch self {
    case .conflicts:
      let conflicting = groups.filter { $0.conflictCount > 0 }
      guard !conflicting.isEmpty else { return nil }
      return .conflicts(
        items: conflicting.reduce(0) { $0 + $1.conflictCount }, groups: conflicting.map(\.name))
    case .unadmitted(let entry):
      return entry.application == app.id && groups.contains { $0.id == entry.accessGroup } ? self : nil
    // The app's vault lists the certificates of its groups only.
    case .certificate: return self
    case .lackingRights(let apps):
      return apps.contains(app.bundleID) ? .lackingRights(apps: [app.bundleID]) : nil
    case .unusableCredential(let apps):
      return apps.contains(app.bundleID) ? .unusableCredential(apps: [app.bundleID]) : nil
    case .openCredentials(let apps, let hasPassphrase):
      return apps.contains(app.bundleID) ? .openCredentials(apps: [app.bundleID], hasPassphrase: hasPassphrase) : nil
    case .ownCredentials(let apps, let hasPassphrase):
      return apps.contains(app.bundleID) ? .ownCredentials(apps: [app.bundleID], hasPassphrase: hasPassphrase) : nil
    case .removed, .expiredCredentials, .unconfirmed, .enrolmentRequests, .toReplace, .logFork, .logClaim,
      .storeChanged, .unsynced, .syncFails, .silent,
      .neverSynced, .noRemote, .lostRemote, .noCredential, .noPassphrase, .vaultKeyKept, .singleMachine:
      return nil
    }
  }
}
