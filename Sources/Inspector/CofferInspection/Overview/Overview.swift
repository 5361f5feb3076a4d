internal import Coffer
package import CofferAdministration
internal import CofferFormat
package import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// The first look at a vault: what it contains, how it is synced, and what needs attention.
package struct Overview: Sendable {
  /// Machines, apps, log, remote and sync.
  package let status: VaultStatus
  /// The most urgent first.
  package let attention: [Attention]
}

extension InspectedVault {
  /// Returns the first look at the vault. With `waitsForStore`, waits until the store's rows are compared with their
  /// summary, which reads all of them. Otherwise that is done on another thread, and a later overview says whether
  /// another program has changed them.
  package func overview(waitsForStore: Bool = false, now: Date = Date()) throws(VaultError) -> Overview {
    try Overview.read(
      from: local, certificates: expiringCertificates(now),
      // What an app's groups were readable for is the owner's.
      replacements: vault.applicationIdentifier == nil ? itemsToReplaceCount() : 0,
      isStoreChanged: waitsForStore ? comparison.compare(local) : comparison.known(of: local), now: now)
  }

  /// Returns the certificates that have expired or will soon, the one that expires first at the front. A damaged one is
  /// left out: lists name it.
  private func expiringCertificates(_ now: Date) throws(VaultError) -> [ExpiringCertificate] {
    let end = now.addingTimeInterval(ItemRequest.expiryNotice)
    return try vault.list(KeychainCertificate.self).items
      .map { certificate throws(VaultError) in
        try ExpiringCertificate(certificate, asOf: now, before: end) { () throws(VaultError) in
          let search = ItemSearch(
            .certificate, group: certificate.accessGroup, reference: certificate.reference.identifier)
          return try vault.details(search)?.revision.address.item
        }
      }
      .compactMap(\.self)
      .sorted { ($0.notAfter, $0.label) < ($1.notAfter, $1.label) }
  }
}

extension Overview {
  /// Reads the overview of a vault, with what only an unlocked vault tells if the caller has it. With `checksStore`,
  /// looks for changes of the store by other programs, which reads every row, unless the caller knows of them.
  package static func read(
    from local: LocalVault, checksStore: Bool = true, certificates: [ExpiringCertificate] = [],
    replacements: Int? = nil, isStoreChanged: Bool? = nil, now: Date = Date()
  ) throws(VaultError) -> Overview {
    var isChanged = isStoreChanged ?? false
    if isStoreChanged == nil, checksStore { isChanged = try local.isStoreChanged() }
    let status = try VaultStatus.read(from: local)
    let facts = try AccessFacts.read(from: local, withActivity: false)
    var attention = membershipAttention(status, facts, local)
    attention += status.itemAttention(isStoreChanged: isChanged, replacements: replacements)
    attention += try syncAttention(status, local, now)
    attention += silentMachines(status, now)
    attention += certificates.map { .certificate($0) }
    // The order within a severity is that of the sources.
    let ordered = attention.enumerated().sorted {
      ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset)
    }
    return Overview(status: status, attention: ordered.map(\.element))
  }

  private static func membershipAttention(
    _ status: VaultStatus, _ facts: AccessFacts, _ local: LocalVault
  ) -> [Attention] {
    var attention: [Attention] = []
    if let words = status.revocation { attention.append(.removed(words, remote: status.remote)) }
    if let fork = status.logFork { attention.append(.logFork(fork)) }
    attention += status.logClaims.map { .logClaim($0) }
    attention += status.membershipAttention
    func apps(_ protection: KeyProtection) -> [App] {
      facts.sortedApps.filter { facts.credentials[$0.id]?.protection == protection }
    }
    let unusable = apps(.unusable).map(\.id.bundleID.description)
    let open = apps(.open).filter { !OwnApps.contains($0.id) }.map(\.id.bundleID.description)
    let own = apps(.open).filter { OwnApps.contains($0.id) }.map(\.id.bundleID.description)
    if !unusable.isEmpty { attention.append(.unusableCredential(apps: unusable)) }
    // A member's open keys are those of its apps, which are named below.
    let isAdmin = status.machines.contains { $0.isThisMachine && $0.isAdmin }
    if isAdmin, local.ownerKeyProtection == .open { attention.append(.noPassphrase) }
    if local.keepsVaultKey { attention.append(.vaultKeyKept) }
    let hasPassphrase = local.ownerKeyProtection == .passphrase
    if !open.isEmpty { attention.append(.openCredentials(apps: open, hasPassphrase: hasPassphrase)) }
    // Without a passphrase, an admin is told about all keys above.
    if !own.isEmpty, !isAdmin || local.ownerKeyProtection != .open {
      attention.append(.ownCredentials(apps: own, hasPassphrase: hasPassphrase))
    }
    if status.machines.count(where: { $0.expires == nil }) == 1 { attention.append(.singleMachine) }
    return attention
  }

  private static func syncAttention(
    _ status: VaultStatus, _ local: LocalVault, _ now: Date
  ) throws(VaultError) -> [Attention] {
    if let missing = status.missingRemote { return [missing] }
    var attention: [Attention] = []
    if let error = status.health.lastError?.error {
      attention.append(
        .syncFails(
          times: status.health.failureCount, since: status.health.lastSuccess,
          message: error.message.sanitizedForTerminal(limit: 400), suggestion: error.recoverySuggestion))
    }
    if status.unreadProblemCount > 0 { attention.append(.unreadProblems(status.unreadProblemCount)) }
    guard status.lastSync != nil else { return attention + [.neverSynced] }
    guard status.unsyncedChanges > 0, let oldest = try oldestChange(in: local) else { return attention }
    let days = Int((now.timeIntervalSince(oldest) / 86_400).rounded(.down))
    return days < 7 ? attention : attention + [.unsynced(changes: status.unsyncedChanges, since: oldest, days: days)]
  }

  private static func silentMachines(_ status: VaultStatus, _ now: Date) -> [Attention] {
    let silent = status.machines.compactMap { machine in
      machine.silentDays(asOf: now).map { (machine.name.sanitizedForTerminal(), $0) }
    }
    guard let days = silent.map(\.1).min() else { return [] }
    return [.silent(machines: silent.map(\.0), days: days)]
  }

  /// The time of the oldest change that the remote does not have.
  private static func oldestChange(in local: LocalVault) throws(VaultError) -> Date? {
    let device = try local.deviceFile()
    return try translatingErrors {
      try local.store.read { reader in
        var times = try reader.unpublishedLogEntries().map { try LogEntry(bytes: $0.entry).time }
        if let oldest = try reader.oldestOutboxTime() { times.append(oldest) }
        for segment in try reader.unpublishedSegments() {
          times += (segment.segment(openedBy: device)?.records ?? []).compactMap { try? Record(bytes: $0).header.time }
        }
        return times.min()?.date
      }
    }
  }
}

// What `coffer status` and the overview call to attention alike.

extension VaultStatus {
  /// What needs attention of machines and apps.
  package var membershipAttention: [Attention] {
    var attention: [Attention] = []
    func add(_ names: [String], _ make: ([String]) -> Attention) {
      if !names.isEmpty { attention.append(make(names)) }
    }
    let expired = machines.filter(\.isExpired)
    add(expired.map { $0.name.sanitizedForTerminal() }) {
      .expiredCredentials($0, since: expired.compactMap(\.expires).min())
    }
    add(unacknowledged.map { $0.machine.sanitizedForTerminal() }) {
      .unconfirmed(machines: $0, since: unacknowledged.map(\.revoked).max())
    }
    add(requestedInvitations) { .enrolmentRequests(invitations: $0) }
    add(applications.filter(\.needsNewCredential).map(\.bundleID)) { .lackingRights(apps: $0) }
    // What no admin has given to this machine, a member, is not missing.
    add(applications.filter { !$0.hasCredentialHere && $0.isOffered }.map(\.bundleID)) { .noCredential(apps: $0) }
    return attention
  }

  /// Why nothing is synced; nil for a vault with a remote.
  package var missingRemote: Attention? {
    guard remote == nil else { return nil }
    return lostRemote.map { .lostRemote($0) } ?? .noRemote
  }

  /// What needs attention of items and the store. `replacements` is the number of items to replace, if the caller has
  /// counted them.
  package func itemAttention(isStoreChanged: Bool, replacements: Int? = nil) -> [Attention] {
    var attention: [Attention] = isStoreChanged ? [.storeChanged] : []
    attention += unadmittedRecords.entries.map { .unadmitted($0) }
    let replacements = replacements ?? replacementCount
    if replacements > 0 { attention.append(.toReplace(items: replacements)) }
    return attention + (Attention.conflicts(in: groups, TeamNames(team: team)).map { [$0] } ?? [])
  }
}

/// The first look at a vault for a person who acts as an app: the part of ``Overview`` that the app may see.
package struct AppOverview: Sendable {
  package let app: InspectedApp
  /// The app's access groups, in ascending order of their names.
  package let groups: [VaultStatus.Group]
  /// What concerns the app or its groups, the most urgent first.
  package let attention: [Attention]

  init(_ overview: Overview, app: InspectedApp, groups names: Set<String>) {
    self.app = app
    let groups = overview.status.groups.filter { names.contains($0.name) }
    self.groups = groups
    let names = TeamNames(team: overview.status.team)
    attention = overview.attention.compactMap { $0.seen(by: app, in: groups, names) }
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
  /// The conflicts in groups; nil if there are none.
  fileprivate static func conflicts(in groups: [VaultStatus.Group], _ names: TeamNames) -> Attention? {
    let conflicting = groups.filter { $0.conflictCount > 0 }
    guard !conflicting.isEmpty else { return nil }
    return .conflicts(
      items: conflicting.reduce(0) { $0 + $1.conflictCount }, groups: conflicting.map { names.short($0.name) })
  }

  /// Returns what an app sees of this: what concerns its own groups, records and credential; nil for the rest.
  fileprivate func seen(by app: InspectedApp, in groups: [VaultStatus.Group], _ names: TeamNames) -> Attention? {
    let own = [app.bundleID]
    switch self {
    case .conflicts: return .conflicts(in: groups, names)
    case .unadmitted(let entry):
      return entry.application == app.id && groups.contains { $0.name == entry.accessGroup } ? self : nil
    // The app's vault lists the certificates of its groups only.
    case .certificate: return self
    case .lackingRights(let apps): return apps.contains(app.bundleID) ? .lackingRights(apps: own) : nil
    case .unusableCredential(let apps): return apps.contains(app.bundleID) ? .unusableCredential(apps: own) : nil
    case .openCredentials(let apps, let hasPassphrase):
      return apps.contains(app.bundleID) ? .openCredentials(apps: own, hasPassphrase: hasPassphrase) : nil
    case .ownCredentials(let apps, let hasPassphrase):
      return apps.contains(app.bundleID) ? .ownCredentials(apps: own, hasPassphrase: hasPassphrase) : nil
    case .removed, .expiredCredentials, .unconfirmed, .enrolmentRequests, .toReplace, .logFork, .logClaim,
      .storeChanged, .unsynced, .syncFails, .unreadProblems, .silent,
      .neverSynced, .noRemote, .lostRemote, .noCredential, .noPassphrase, .vaultKeyKept, .singleMachine:
      return nil
    }
  }
}
