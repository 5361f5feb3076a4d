internal import CofferCrypto
package import CofferFormat
internal import CofferStore
package import CofferTrust
package import Foundation

/// What `coffer status` shows: everything that can be said without opening a key of an item.
package struct VaultStatus: Sendable {
  /// An enrolled machine.
  package struct Machine: Sendable {
    package let name: String
    package let isThisOne: Bool
    package let isAdmin: Bool
    package let enrolled: Date
  }

  /// A registered app.
  package struct Application: Sendable {
    package let id: String
    package let bundleID: String
    package let hasCredentialHere: Bool
    /// True for an app whose credential is under each machine's passphrase.
    package let isLocked: Bool
    package let registered: Date
    /// Each group's name, and whether the app may write it.
    package let groups: [(name: String, isWritable: Bool)]
    package let entitlements: [UInt8]
  }

  /// An access group.
  package struct Group: Sendable {
    package let name: String
    package let generation: Int
    package let itemCount: Int
    package let conflictCount: Int
    /// The identifiers of the apps that read it, and of those that also write it.
    package let readers: [String]
    package let writers: [String]
  }

  package let path: String
  package let team: String
  package let logLength: UInt64
  package let logTime: Date
  package let headPhrase: String
  package let machines: [Machine]
  package let applications: [Application]
  package let groups: [Group]
  package let remote: String?
  package let lastSync: Date?
  /// Items written here, and entries of the membership log, that no sync has taken to the remote.
  package let unsyncedChanges: Int
  /// Records whose author this machine's log does not know yet.
  package let pendingRecords: Int

  package init(_ local: LocalVault) throws(VaultError) {
    let device = try local.deviceFile()
    let state = try translatingErrors {
      try local.store.read { reader in
        let membership = try local.membership(in: reader)
        return (
          membership, try reader.setting(.remoteURL), try reader.setting(.lastSync),
          try reader.outboxCount() + reader.logEntries(after: 0).count { !$0.isPublished }
            + reader.unpublishedSegments().reduce(0) { $0 + Self.recordCount(in: $1, device) },
          try reader.pendingCount(),
          try Dictionary(
            uniqueKeysWithValues: membership.groups.keys.map {
              ($0, (try reader.itemCount(in: $0), try reader.conflictCount(in: $0)))
            })
        )
      }
    }
    let (membership, remote, lastSync, unsynced, pending, counts) = state
    let own = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    path = local.folder.path
    team = membership.team.description
    logLength = membership.head.sequence
    logTime = membership.headTime.date
    headPhrase = membership.headPhrase
    machines = membership.devices.values.sorted { ($0.enrolled, $0.name) < ($1.enrolled, $1.name) }.map {
      Machine(name: $0.name, isThisOne: $0.id == own, isAdmin: $0.admin != nil, enrolled: $0.enrolled.date)
    }
    let apps = membership.apps.values.sorted { $0.id.description < $1.id.description }
    applications = apps.map { app in
      Application(
        id: app.id.description, bundleID: app.id.bundleID.description,
        hasCredentialHere: local.folder.credentialFile(of: app.id).exists,
        isLocked: app.statement.isLocked, registered: app.registered.date,
        groups: app.entitlements.groups.map { ($0.name.description, $0.access == .readWrite) },
        entitlements: app.statement.entitlements)
    }
    groups = membership.groups.values.sorted { $0.name.description < $1.name.description }.map { group in
      let readers = apps.filter { $0.entitlements.access(to: group.name) != nil }
      return Group(
        name: group.name.description, generation: group.generations.count, itemCount: counts[group.id]?.0 ?? 0,
        conflictCount: counts[group.id]?.1 ?? 0, readers: readers.map(\.id.description),
        writers: readers.filter { $0.entitlements.access(to: group.name) == .readWrite }.map(\.id.description))
    }
    self.remote = remote.map { String(decoding: $0, as: UTF8.self) }
    self.lastSync = lastSync.flatMap { Timestamp(stored: $0)?.date }
    unsyncedChanges = unsynced
    pendingRecords = pending
  }

  /// How many records a segment that waits to be pushed carries; 1 where it cannot be opened.
  private static func recordCount(in stored: StoredSegment, _ device: DeviceFile) -> Int {
    do throws(FormatError) {
      let envelope = try Envelope(bytes: stored.envelope)
      guard let key = device.transportKeys.first(where: { $0.generation == envelope.generation }) else { return 1 }
      return try Segment(bytes: envelope.open(with: key.key)).records.count
    } catch {
      return 1
    }
  }

  /// One of the applications.
  package func application(_ id: ApplicationID) -> Application? { applications.first { $0.id == id.description } }
}
