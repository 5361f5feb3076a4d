internal import Coffer
internal import CofferAdministration
internal import CofferFormat
package import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// What an overview calls late or soon.
package struct AttentionLimits: Hashable, Sendable {
  /// The days after which changes that wait for a sync are named.
  package var unsyncedDays: Int
  /// The days before its end at which a certificate is named.
  package var certificateDays: Int
  /// The days without a sign of life after which a machine is named.
  package var silentDays: Int

  package init(unsyncedDays: Int = 7, certificateDays: Int = 30, silentDays: Int = VaultMachine.standardSilentDays) {
    self.unsyncedDays = unsyncedDays
    self.certificateDays = certificateDays
    self.silentDays = silentDays
  }
}

extension Overview {
  /// Reads the overview of a vault, without what only an unlocked vault tells. With `checksStore`, looks for changes of
  /// the store by other programs, which reads every row.
  package static func read(
    from local: LocalVault, checksStore: Bool = true, limits: AttentionLimits = AttentionLimits(), now: Date = Date()
  ) throws(VaultError) -> Overview {
    try read(
      from: local, certificates: [], replacements: nil, isStoreChanged: checksStore ? local.isStoreChanged() : false,
      limits: limits,
      now: now)
  }

  static func read(
    from local: LocalVault, certificates: [ExpiringCertificate], replacements: Int?, isStoreChanged: Bool,
    limits: AttentionLimits, now: Date
  ) throws(VaultError) -> Overview {
    let status = try VaultStatus.read(from: local)
    let facts = try AccessFacts.read(from: local, withActivity: false)
    let groups = facts.sortedGroups.map { group in
      Group(
        id: group.name.description, name: facts.shortName(group.name.description),
        items: facts.itemCounts[group.id, default: [:]].filter { $0.value > 0 },
        conflictCount: facts.conflictCounts[group.id] ?? 0)
    }
    var attention = membershipAttention(status, facts, local)
    attention += status.itemAttention(isStoreChanged: isStoreChanged, replacements: replacements)
    attention += try syncAttention(status, local, limits, now)
    attention += silentMachines(status, limits, now)
    attention += certificates.map { .certificate($0) }
    // The order within a severity is that of the sources.
    let ordered = attention.enumerated().sorted {
      ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset)
    }
    return Overview(status: status, groups: groups, attention: ordered.map(\.element))
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
    _ status: VaultStatus, _ local: LocalVault, _ limits: AttentionLimits, _ now: Date
  ) throws(VaultError) -> [Attention] {
    if let missing = status.missingRemote { return [missing] }
    var attention: [Attention] = []
    if let error = status.health.lastError?.error {
      attention.append(
        .syncFails(
          times: status.health.failureCount, since: status.health.lastSuccess,
          message: error.message.sanitizedForTerminal(limit: 400), suggestion: error.recoverySuggestion))
    }
    guard status.lastSync != nil else { return attention + [.neverSynced] }
    guard status.unsyncedChanges > 0, let oldest = try oldestChange(in: local) else { return attention }
    let days = Int((now.timeIntervalSince(oldest) / 86_400).rounded(.down))
    if days >= limits.unsyncedDays {
      attention.append(.unsynced(changes: status.unsyncedChanges, since: oldest, days: days))
    }
    return attention
  }

  private static func silentMachines(_ status: VaultStatus, _ limits: AttentionLimits, _ now: Date) -> [Attention] {
    let silent = status.machines.compactMap { machine in
      machine.silentDays(asOf: now, limit: limits.silentDays).map { (machine.name.sanitizedForTerminal(), $0) }
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
