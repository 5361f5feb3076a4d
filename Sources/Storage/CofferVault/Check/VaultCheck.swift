internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust

/// Compares a store with the signed objects that it holds, and repairs it. It needs this machine's keys and no key of a
/// group, and a membership log that cannot be folded does not prevent it.
package struct VaultCheck {
  private let folder: VaultFolder
  private let store: Store
  private let device: DeviceFile
  private let genesis: Genesis
  private let progress: (Int, Int) -> Void

  /// Opens the store of a folder for a check. `progress` is called with the number of objects that were read, and the
  /// number of all. Throws as ``PinnedStore/open(in:)``.
  package static func open(
    _ folder: VaultFolder, progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws(VaultError) -> VaultCheck {
    let pinned = try PinnedStore.open(in: folder)
    return VaultCheck(
      folder: folder, store: pinned.store, device: pinned.device, genesis: pinned.genesis, progress: progress)
  }

  /// Compares the store. Writes nothing, and does not delay other programs.
  package func run() throws(VaultError) -> CheckReport {
    try translatingErrors {
      try store.read { reader in
        var log = LogCheck(genesis: genesis, device: device)
        log.run(try reader.logEntries(after: 0), expecting: try reader.summarisedCounts(device.summaryKey)?.log)
        let rootSlot = try hasRootSlot(reader, log)
        let check = StoreCheck(reader, try context(reader, log))
        return try report(check.run(), check, log, rootSlot, reader, isRepaired: false)
      }
    }
  }

  /// Compares the store and repairs it, in one transaction. Waits for a sync that is running.
  ///
  /// With `awaitsSegments`, segments may be missing that the store does not name: the records that are in none are
  /// determined after the next sync has imported what the remote has. `isSyncing` is true for that sync, which holds
  /// the vault's sync lock. The differences are repaired, unless only the remote has what is missing. Throws `io` if a
  /// sync does not end within two minutes.
  package func repair(
    awaitsSegments: Bool = false, isSyncing: Bool = false, leavingUnread leavesUnread: Bool = false
  ) throws(VaultError) -> CheckReport {
    guard !isSyncing else { return try repairStore(awaitsSegments: false, leavesUnread) }
    let lock = try FileLock.acquire(path: folder.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(lock) }
    return try repairStore(awaitsSegments: awaitsSegments ? true : nil, leavesUnread)
  }

  private func repairStore(awaitsSegments: Bool?, _ leavesUnread: Bool) throws(VaultError) -> CheckReport {
    try translatingErrors {
      try store.write { writer in
        var log = LogCheck(genesis: genesis, device: device)
        log.run(try writer.logEntries(after: 0), expecting: try writer.summarisedCounts(device.summaryKey)?.log)
        for repair in log.repairs {
          try writer.repairLogEntry(repair.sequence, entry: repair.entry, envelope: repair.envelope)
        }
        // The next sync compares them with the remote's.
        for sequence in log.altered { try writer.forgetLogFile(sequence) }
        if let cut = log.cut {
          try writer.deleteLog(from: cut)
          try writer.deleteUnnamedObjects()
        }
        let rootSlot = try hasRootSlot(writer, log)
        let context = try context(writer, log, awaitsSegments: awaitsSegments)
        let check = StoreCheck(writer, context)
        let report = try report(check.run(), check, log, rootSlot, writer, isRepaired: true)
        // What the segments have of them was not compared: the next sync looks at all segments again.
        if !context.isRevalidated { try writer.setSetting(.validatedLog, nil) }
        let awaited = try writer.setting(.awaitedRepair)
        try writer.setSetting(.awaitedRepair, report.needsRemote ? awaited ?? Self.awaitedState(report) : nil)
        try writer.replaceSummary(device.summaryKey)
        // In the same transaction: no later sync finds it again.
        if leavesUnread {
          let problems = report.summary().map { SyncProblem(.store, $0) }
          try UnreadProblems.change(in: writer) { $0.insert(problems, at: .now) }
        }
        return report
      }
    }
  }

  private static func awaitedState(_ report: CheckReport) -> [UInt8] {
    report.differences.count(.remote) > 0 ? Setting.restoring : Setting.outboxUnknown
  }

  private func hasRootSlot(_ reader: borrowing some StoreAccess & ~Copyable, _ log: LogCheck) throws -> Bool {
    try RootSlots.read(from: reader, in: log.membership.complete).current != nil
  }

  private func context(
    _ reader: borrowing some StoreAccess & ~Copyable, _ log: LogCheck, awaitsSegments: Bool? = nil
  ) throws -> CheckContext {
    var membership = log.membership
    try membership.addRecordLists(from: reader)
    let isComplete = membership.missingRecordLists.isEmpty && membership.incompleteBatch == nil
    let logLength = membership.head.sequence
    let head = membership.head.hash.raw.bytes
    let hasCompetingEntries = try hasCompetingEntries(membership, reader)
    membership = membership.complete
    let keys = Dictionary(device.transportKeys.map { ($0.generation, $0.key) }) { first, _ in first }
    return CheckContext(
      openSegment: { bytes in
        guard let envelope = try? Envelope(bytes: bytes), envelope.content == .segment,
          let key = keys[envelope.generation], let plain = try? envelope.open(with: key),
          let segment = try? Segment(bytes: plain), segment.vault == membership.vault
        else { return nil }
        guard let writer = membership.devices[segment.device] else { return log.isSound ? nil : segment }
        // What follows a revocation is withdrawn by the next sync.
        guard membership.refusal(of: .segment(segment.position), by: segment.device) != .readOnly else { return nil }
        return segment.isSigned(by: writer.keys.verifying) ? segment : nil
      },
      verdict: { record in
        switch membership.validity(of: record) {
        case .valid: .valid
        case .unknownAuthor, .notEntitled: .unadmitted
        case .invalid: .invalid
        }
      },
      permits: { membership.permits($0) },
      isGenuine: { skeleton in
        // Without the entry of its author, it cannot be verified yet.
        guard let author = membership.authors[skeleton.header.author] else { return !log.isSound }
        return skeleton.isSigned(by: author.keys.verifying)
      },
      epoch: try epoch(reader, membership),
      isAuthor: { membership.authors[$0] != nil },
      mayClaim: { membership.mayClaim($0) },
      device: DeviceID(vault: membership.vault, keys: device.keys.publicKeys), logLength: logLength,
      isLogSound: log.isSound && !hasCompetingEntries && isComplete,
      isRevalidated: try !hasCompetingEntries && isComplete && reader.setting(.validatedLog) == head,
      awaitsSegments: try awaitsSegments ?? (reader.setting(.awaitedRepair) != nil),
      isImportComplete: awaitsSegments == false,
      recordCount: try reader.summarisedCounts(device.summaryKey)?.records, historyStart: LocalVault.historyStart,
      progress: progress)
  }

  /// Returns the epoch that this machine follows, with its checkpoint if that is signed.
  private func epoch(
    _ reader: borrowing some StoreAccess & ~Copyable, _ membership: Membership
  ) throws -> CheckContext.Epoch {
    let number = try reader.epochBranch().epoch
    guard number >= Checkpoint.firstEpoch, let bytes = try reader.object(.checkpoint(number)),
      let checkpoint = try? Checkpoint(bytes: bytes), checkpoint.vault == membership.vault, checkpoint.epoch == number,
      membership.counts(.followedCheckpoint, by: checkpoint.device, isSigned: checkpoint.isSigned(by:))
    else { return CheckContext.Epoch(number: number, checkpoint: nil) }
    return CheckContext.Epoch(number: number, checkpoint: checkpoint)
  }

  /// Whether entries of other branches of the log may count: what does in a forked log is not decided here.
  private func hasCompetingEntries(_ chain: Membership, _ reader: borrowing some StoreAccess & ~Copyable) throws -> Bool
  {
    let stored = try reader.competingEntries()
    guard !stored.isEmpty else { return false }
    let competingEntries = stored.compactMap { try? LogEntry(bytes: $0.entry) }
    let entries = try reader.logEntries(after: 0).compactMap { try? LogEntry(bytes: $0.entry) }
    let branches = LogBranches(
      chain: chain, entries: entries, competingEntries: competingEntries,
      discarded: try WithdrawnLog.load(from: reader).hashes)
    return competingEntries.count < stored.count || branches.fork != nil
  }

  /// Returns the lists of records that the store has, or had when the revocation took effect here, and that are not
  /// valid. The sync reports those that the host withholds.
  private func damagedRecordLists(
    of log: Membership, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [Bytes32] {
    var membership = log
    try membership.addRecordLists(from: reader)
    let missing = membership.missingRecordLists
    guard !missing.isEmpty else { return [] }
    let held = Set(try reader.objects(.recordList).map(\.key))
    let applied = try reader.appliedRevocations()
    return missing.filter { entry, hash in
      held.contains(.recordList(hash))
        || membership.revocations.contains {
          $0.position.sequence == entry && applied.contains($0.position.hash)
        }
    }.map(\.hash)
  }

  private func report(
    _ found: StoreDifferences, _ check: StoreCheck, _ log: LogCheck, _ hasRootSlot: Bool,
    _ reader: borrowing some StoreAccess & ~Copyable, isRepaired: Bool
  ) throws -> CheckReport {
    let claimed = try LogClaims.load(from: reader).farthest
    var differences = StoreDifferences()
    for difference in log.differences { differences.add(difference) }
    let length = log.membership.head.sequence
    // What other machines' segments claim is reported by each sync, until it comes or the owner acknowledges it.
    if log.isSound, check.claimedLog > max(length, claimed) {
      differences.add(
        StoreDifference(
          "log", "entries \(length + 1) to \(check.claimedLog) are missing, which segments name", .remote,
          count: Int(clamping: check.claimedLog - length)))
    }
    for hash in try damagedRecordLists(of: log.membership, reader) {
      differences.add(
        StoreDifference("record_list", "the list \(hash.hex.prefix(12)) of a revocation is damaged", .remote))
    }
    if !hasRootSlot { differences.add(StoreDifference("vault", "the root slot is missing or damaged", .remote)) }
    differences.merge(found)
    let lostRemote = try folder.lostRemote(of: reader)
    // What was not sent is in other tables.
    if lostRemote != nil { differences.awaitRemote(for: ["record", "skeleton"]) }
    return CheckReport(
      path: folder.storePath, differences: differences, isRepaired: isRepaired,
      needsRemote: differences.count(.remote) > 0 || !check.isOutboxKnown, lostRemote: lostRemote)
  }
}

extension VaultCheck {
  /// Compares the store of a folder and repairs it. If its file is damaged, a new one is built of what can be read of
  /// it, and the damaged one is kept. Throws as ``open(_:progress:)`` and ``repair(awaitsSegments:isSyncing:)``;
  /// `integrity` if the file is no store, or does not say any more which vault it is.
  package static func repair(
    _ folder: VaultFolder, progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws(VaultError) -> CheckReport {
    do throws(VaultError) {
      let check = try open(folder, progress: progress)
      // Without a difference, nothing is locked.
      let found = try check.run()
      return found.isEmpty ? found : try check.repair()
    } catch {
      guard error.code == .integrity, isDamaged(folder) else { throw error }
    }
    let (moved, salvage) = try buildFileAnew(in: folder)
    var report = try open(folder, progress: progress).repair()
    report.movedFile = moved
    report.incompleteTables = salvage.incompleteTables
    return report
  }

  /// Whether SQLite finds the file of the store damaged.
  private static func isDamaged(_ folder: VaultFolder) -> Bool {
    do throws(StoreError) {
      try Store.open(at: folder.storePath).checkIntegrity()
      return false
    } catch {
      return error.code == .corrupt
    }
  }

  /// Builds the file of the store anew. Returns where the damaged one is, and what could be read of it.
  private static func buildFileAnew(
    in folder: VaultFolder
  ) throws(VaultError) -> (moved: String?, salvage: StoreSalvage) {
    let lock = try FileLock.acquire(path: folder.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(lock) }
    // On the same disk, so that it can be moved.
    let staging = VaultFolder(folder.url.appending(path: "repair-\(hexadecimal(Random.bytes(count: 6)))"))
    guard unsafe mkdir(staging.path, 0o700) == 0 else {
      throw VaultError(.io, "cannot create \(staging.path)", recoverySuggestion: "free some space, then try again")
    }
    defer { try? removeTree(staging.path) }
    var result: (moved: String?, salvage: StoreSalvage) = (nil, StoreSalvage())
    do {
      try Store.salvage(from: folder.storePath, to: staging.storePath) { salvage in
        result = (try folder.replaceStore(by: staging), salvage)
      }
    } catch let error as StoreError where error.code == .corrupt && error.path == folder.storePath {
      throw VaultError(
        .integrity, "too much of the vault's store at \(folder.storePath) is damaged: \(error.detail)",
        recoverySuggestion: folder.restoreSuggestion)
    } catch {
      throw VaultError(translating: error)
    }
    return result
  }
}
