internal import CofferFormat
internal import CofferGit
internal import CofferPlatform
internal import CofferStore
internal import CofferVault

/// What a sync that has left nothing to do knows of both sides: a note in the stamp of the store.
///
/// As long as nobody writes to the store, and the remote shows the same branches, the next sync would do the same as
/// this one: nothing. If the remote is a repository on this machine, that is seen without starting git and without
/// reading the membership log. After an hour, a sync compares everything again.
struct UnchangedSync: Codable {
  private let time: Date
  private let remote: String
  private let repository: RepositoryState
  /// The number of the cache's folder: a new cache shows what the remote has lost.
  private let cache: UInt64
  private let items: Int
  private let conflictCount: Int
  private let membershipEntries: Int
  private let epoch: UInt32

  private static let validity: TimeInterval = 3_600

  /// Leaves a note about a sync that has ended. `references` are the branches and tags that it has followed.
  static func leaveNote(
    _ report: SyncReport, _ references: [String: ObjectID], at url: RemoteURL, in vault: LocalVault
  ) {
    guard report.leavesNothing, (try? vault.store.read { try $0.outboxCount() }) == 0,
      let repository = url.repositoryState(), let cache = cacheNumber(in: vault.folder),
      repository.references == references.mapValues(\.description)
    else { return }
    let note = UnchangedSync(
      time: .now, remote: url.description, repository: repository, cache: cache, items: report.items,
      conflictCount: report.conflictCount, membershipEntries: report.membershipEntries, epoch: report.epoch)
    if let bytes = try? JSONEncoder().encode(note) { vault.store.leaveNote(Array(bytes)) }
  }

  private static func cacheNumber(in folder: VaultFolder) -> UInt64? {
    var status = stat()
    return unsafe lstat(folder.cachePath, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Returns the report of a sync that finds nothing; nil unless both sides are as the last sync has left them. Like
  /// each sync, it compares the next slice of the store's contents: it returns nil also if a row differs.
  static func report(in folder: VaultFolder, checkingFrom position: inout ContentPosition) -> SyncReport? {
    let start = ContinuousClock.now
    var device: DeviceFile?
    let bytes = Store.note(ofStoreAt: folder.storePath) {
      device = try? folder.deviceFile.read(DeviceFile.self)
      return device?.summaryKey
    }
    guard let device, let note = bytes.flatMap({ try? JSONDecoder().decode(UnchangedSync.self, from: Data($0)) }),
      (0..<validity).contains(-note.time.timeIntervalSinceNow), let url = try? RemoteURL(note.remote),
      url.repositoryState() == note.repository, cacheNumber(in: folder) == note.cache,
      // A sync that runs is waited for.
      let lock = try? FileLock.acquire(path: folder.syncLockPath, timeout: .zero, purpose: "sync")
    else { return nil }
    defer { extendLifetime(lock) }
    var next = position
    guard (try? folder.openStore().isSliceSound(&next, device)) == true else { return nil }
    position = next
    var report = SyncReport(remote: note.remote)
    report.items = note.items
    report.conflictCount = note.conflictCount
    report.membershipEntries = note.membershipEntries
    report.epoch = note.epoch
    report.duration = .now - start
    return report
  }
}

extension SyncReport {
  /// Whether nothing was found that another sync would report again.
  fileprivate var leavesNothing: Bool {
    isComplete && refusedRecords == 0 && recordsInLanes == 0 && invitations.isEmpty && appsWithoutCredential.isEmpty
      && !isClonedDevice
  }
}
