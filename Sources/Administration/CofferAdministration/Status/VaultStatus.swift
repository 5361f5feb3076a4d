package import Coffer
internal import CofferCrypto
package import CofferFormat
package import CofferPlatform
internal import CofferStore
package import CofferTrust
package import CofferVault

/// The state of a vault, as far as it is known without a key that opens items.
package struct VaultStatus: Sendable {
  /// A registered app.
  package struct Application: Sendable {
    package let id: String
    package let bundleID: String
    package let hasCredentialHere: Bool
    /// What keeps other programs of the user from the app's groups here.
    package let enforcement: AppEnforcement
    /// The program of the desktop that the app stands for; nil for an app that opens the vault itself.
    package let desktop: DesktopProgram?
    /// Whether root has to install the app here, because a group requires it.
    package let needsInstallation: Bool
    /// Whether `coffer app install` gives it a credential here: always on an admin's machine, and on a member if an
    /// admin has delivered the app.
    package let isOffered: Bool
    /// Whether the credential here lacks rights that the app has: it had lost them before. A new credential has all.
    package let needsNewCredential: Bool
    /// Whether each machine seals the app's credential under its passphrase.
    package let requiresPassphrase: Bool
    /// Whether its credential on this machine is sealed under the passphrase.
    package let isSealedHere: Bool
    package let registered: Date
    /// The name of each group, and whether the app may write it.
    package let groups: [(name: String, isWritable: Bool)]
    package let entitlements: [UInt8]
  }

  /// An access group.
  package struct Group: Sendable {
    package let name: String
    package let generation: Int
    /// What machines must have to give its keys to apps: `none`, `lease` or `strong`.
    package let requirement: String
    package let itemCount: Int
    package let conflictCount: Int
    /// The identifiers of the apps that may read the group.
    package let readers: [String]
    /// The identifiers of the apps that may also write it.
    package let writers: [String]
  }

  package let path: String
  package let team: String
  package let logLength: UInt64
  package let logTime: Date
  package let headPhrase: String
  /// The number of the vault key: 1 for that of `coffer init`, one more after each change of it.
  package let vaultKeyNumber: UInt32
  /// When the vault key was replaced last; nil if it never was.
  package let vaultKeyReplaced: Date?
  /// The fork of the log, or nil if it has not forked.
  package let logFork: LogFork?
  /// What other machines have seen of the log and this machine has not, one clause each.
  package let logClaims: [String]
  package let machines: [VaultMachine]
  /// The machines that were removed from the vault.
  package let revokedMachines: [VaultMachine]
  /// The names of the machines whose owners may change the membership; nil if there are none.
  package let adminNames: String?
  /// Why nothing that this machine writes counts: when and by whom it was removed; nil if it is in the vault.
  package let revocation: String?
  package let applications: [Application]
  package let groups: [Group]
  /// The time at which this state was read.
  package let time: Date
  package let remote: String?
  /// The URL of the remote that the store has lost.
  package let lostRemote: String?
  package let lastSync: Date?
  /// How the last syncs have gone.
  package let health: SyncHealth
  /// The number of problems that syncs have found and no person has read.
  package let unreadProblemCount: Int
  /// The process that syncs the vault by itself; nil if none does.
  package let watcher: Int32?
  /// The epoch that this machine follows.
  package let epoch: VaultEpoch
  /// The size in bytes of this epoch's segments on the remote, without its snapshot.
  package let epochByteCount: Int
  /// The size in bytes of the snapshot with which this epoch began; 0 for the first epoch, which has none.
  package let snapshotByteCount: Int
  /// The number of records and log entries of this machine that were not pushed yet.
  package let unsyncedChanges: Int
  /// The number of segments that other machines have seen at the remote, and that this machine has not found there.
  package let missingSegmentCount: Int
  /// The records that do not count, or not yet, because the log does not let their author write them.
  package let unadmittedRecords: UnadmittedRecords

  /// The number of items that were not written since somebody who could read them was removed, without dismissed ones.
  /// `coffer rotate` also finds those that were written again with the same value.
  package let replacementCount: Int

  /// A member that has not shown yet that it knows the last revocation.
  package struct Unacknowledged: Sendable {
    package let machine: String
    /// The number of the revocation's entry in the log.
    package let revocationEntry: UInt64
    package let revoked: Date
  }

  /// The members that may still write under keys that somebody has who was removed.
  package let unacknowledged: [Unacknowledged]

  /// The invitations of this machine with which a machine asks to be enrolled, by the beginnings of their identifiers.
  package let requestedInvitations: [String]

  /// The number of records that wait for an entry of the log that other machines have seen.
  package var pendingRecords: Int { unadmittedRecords.count(.pending) }
  /// The number of records that do not count unless the log changes.
  package var refusedRecords: Int { unadmittedRecords.count(.refused) }

  /// Reads the state of a vault.
  package static func read(from local: LocalVault) throws(VaultError) -> VaultStatus {
    let device = try local.deviceFile()
    let state = try translatingErrors {
      try local.store.read { reader in
        let membership = try local.membership(in: reader)
        let claims = try LogClaims.load(from: reader).open.map { $0.words(in: membership) }
        return (
          try local.branches(in: reader), claims, membership, try reader.setting(.remoteURL),
          try reader.setting(.lastSync), Timestamp.now.date,
          try reader.outboxCount() + reader.unpublishedLogEntries().count
            + reader.unpublishedSegments().reduce(0) { $0 + $1.recordCount(openedBy: device) },
          try UnadmittedRecords.load(from: reader, of: local, in: membership),
          try Dictionary(
            uniqueKeysWithValues: membership.groups.keys.map {
              ($0, (try reader.itemCount(in: $0), try reader.conflictCount(in: $0)))
            }), try reader.replacementCount(in: membership),
          try UnacknowledgedRevocation.all(in: reader, local.publishedLog(in: reader).membership, openedBy: device),
          try reader.lastWrites(membership), try reader.currentEpoch(membership),
          try reader.publishedSegmentByteCount(),
          try reader.chunkByteCount(of: reader.epochBranch().epoch),
          try MissingSegments.load(from: reader).count(in: reader)
        )
      }
    }
    let (
      branches, claims, membership, remote, recordedSync, time, unsynced, unadmitted, counts, replacements, waiting,
      lastWrites, epoch, epochByteCount, snapshotByteCount, missingSegments
    ) = state
    // What is wrong with the file of invitations does not keep anybody from the rest: `coffer device list` names it.
    let reviews = local.keysInMemory == nil ? (try? local.invitationReviews()) ?? [] : []
    let requested = reviews.filter { $0.state == .requested }
    let own = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    let apps = membership.apps.values.sorted { $0.id.description < $1.id.description }
    let health = local.keysInMemory == nil ? SyncHealth.read(from: local.folder) : SyncHealth()
    // A sync that has found no change is only in the file of the sync health.
    let lastSync = recordedSync.flatMap { Timestamp(stored: $0)?.date }.map {
      max($0, min(health.lastSuccess ?? $0, time))
    }
    let machines = membership.devices.values.sorted { ($0.enrolled, $0.name) < ($1.enrolled, $1.name) }.map { device in
      VaultMachine(
        device, in: membership, isThisMachine: device.id == own, lastWrite: lastWrites[device.id]?.date,
        asOf: Timestamp(time))
    }
    return VaultStatus(
      path: local.folder.path, team: membership.team.description, logLength: branches.chain.head.sequence,
      logTime: branches.chain.headTime.date, headPhrase: branches.chain.headPhrase,
      vaultKeyNumber: membership.rootGeneration, vaultKeyReplaced: membership.successions.last?.time.date,
      logFork: branches.fork,
      logClaims: claims,
      machines: machines.filter { $0.revoked == nil }, revokedMachines: machines.filter { $0.revoked != nil },
      adminNames: membership.adminNames,
      revocation: branches.chain.revocationError(of: own)?.message,
      applications: apps.map { Application($0, in: local, membership, on: own, owner: local.ownerKeyProtection) },
      groups: membership.groups.values.sorted { $0.name.description < $1.name.description }.compactMap { group in
        let readers = apps.filter { $0.entitlements.access(to: group.name) != nil }
        // The log never forgets a group. One that was deleted has no app and no item.
        guard !readers.isEmpty || counts[group.id].map({ $0.0 > 0 || $0.1 > 0 }) ?? false else { return nil }
        return Group(
          name: group.name.description, generation: group.generations.count,
          requirement: group.requirement.name, itemCount: counts[group.id]?.0 ?? 0,
          conflictCount: counts[group.id]?.1 ?? 0, readers: readers.map(\.id.description),
          writers: readers.filter { $0.entitlements.access(to: group.name) == .readWrite }.map(\.id.description))
      },
      time: time, remote: remote.map { String(decoding: $0, as: UTF8.self) },
      lostRemote: try local.lostRemote(),
      lastSync: lastSync, health: health, unreadProblemCount: try local.unreadProblems().problems.count,
      watcher: local.keysInMemory == nil ? WatchLock.holder(in: local.folder) : nil, epoch: epoch,
      epochByteCount: epochByteCount, snapshotByteCount: snapshotByteCount, unsyncedChanges: unsynced,
      missingSegmentCount: missingSegments,
      unadmittedRecords: unadmitted, replacementCount: replacements,
      unacknowledged: waiting.map {
        Unacknowledged(
          machine: membership.name(of: $0.machine), revocationEntry: $0.revocation.position.sequence,
          revoked: $0.revocation.time.date)
      },
      requestedInvitations: requested.map(\.invitation.id.shortText))
  }

  /// Returns the application with an identifier, or nil if it is not registered.
  package func application(_ id: ApplicationID) -> Application? { applications.first { $0.id == id.description } }
}

extension VaultStatus.Application {
  fileprivate init(
    _ app: App, in local: LocalVault, _ membership: Membership, on machine: DeviceID, owner: KeyProtection
  ) {
    id = app.id.description
    bundleID = app.id.bundleID.description
    let status = local.credentialStatus(of: app.id, in: membership)
    hasCredentialHere = status.protection != .absent
    enforcement = AppEnforcement(status, owner: owner)
    desktop = DesktopProgram(app.id.bundleID)
    needsInstallation =
      local.keysInMemory == nil && !membership.allowsFile(for: app) && status.protection != .installed
    isOffered = membership.offeredApps(on: machine).contains(app.id)
    // Errors of the file are reported when it is opened.
    needsNewCredential =
      local.keysInMemory == nil
      && status.author.flatMap { membership.authors[$0] }.map { !membership.hasAllRights($0) } ?? false
    requiresPassphrase = app.statement.requiresPassphrase
    isSealedHere = status.protection == .passphrase
    registered = app.registered.date
    groups = app.entitlements.groups.map { ($0.name.description, $0.access == .readWrite) }
    entitlements = app.statement.entitlements
  }
}

/// A machine that is or was in a vault, as commands and pages show it.
package struct VaultMachine: Hashable, Sendable {
  /// The identifier, in hexadecimal.
  package let id: String
  /// The owner's name for it, as it was signed: escape it for a terminal or a page.
  package let name: String
  package let isThisMachine: Bool
  /// Whether its owner may change the membership. A machine in the vault that is no admin is a member, or only reads.
  package let isAdmin: Bool
  /// The time from which on it gets no new keys; nil for a machine that may write.
  package let expires: Date?
  /// Whether it gets no new keys any more, and was not removed.
  package let isExpired: Bool
  /// By the clock of the machine that enrolled it.
  package let enrolled: Date
  /// When it was removed from the vault; nil if it is in it.
  package let revoked: Date?
  /// Its last sign of life: the time of the newest record or log entry of it that counts here, by its own clock; nil if
  /// it has written nothing that is kept here. A machine that only reads gives none.
  package let lastWrite: Date?

  package init(
    _ device: Device, in membership: Membership, isThisMachine: Bool, lastWrite: Date?, asOf now: Timestamp = .now
  ) {
    id = device.id.description
    name = device.name
    self.isThisMachine = isThisMachine
    isAdmin = device.isAdmin
    expires = device.expires?.date
    isExpired = device.revocation == nil && device.isExpired(at: now)
    enrolled = device.enrolled.date
    revoked = device.revocation.flatMap { position in
      membership.revocations.first { $0.position == position }?.time.date
    }
    self.lastWrite = lastWrite
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the time of the newest record of each machine, or of the newest log entry that its admin has signed, by
  /// the machine's own clock.
  func lastWrites(_ membership: Membership) throws -> [DeviceID: Timestamp] {
    var times: [DeviceID: Timestamp] = [:]
    for activity in try authorActivity() {
      guard let device = membership.authors[activity.author]?.device else { continue }
      times[device] = max(times[device] ?? activity.last, activity.last)
    }
    let machines = Dictionary(
      membership.devices.values.compactMap { device in device.admin.map { ($0, device.id) } }
    ) { first, _ in first }
    for bytes in try logEntries(after: 0, through: .max) {
      guard let entry = try? LogEntry(bytes: bytes), case .admin(let author) = entry.signer,
        let device = machines[author]
      else { continue }
      times[device] = max(times[device] ?? entry.time, entry.time)
    }
    return times
  }
}
