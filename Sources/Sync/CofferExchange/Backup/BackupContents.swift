internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The files of a backup: what a remote would have that has accepted everything of this machine. What may still be
/// discarded is not among them.
struct BackupContents {
  /// The branch that the vault is on.
  let branch: EpochBranch
  /// The last entry of the log.
  let log: LogPosition
  let files: BackupFileList
  /// The commit with the files.
  let commit: ObjectID
  /// The number of items that never leave this machine.
  let localItemCount: Int
  /// What the store should have and does not, or has damaged: a line each.
  let missing: [String]
  /// Whether this machine awaits segments from the remote.
  let awaitsSegments: Bool
  /// What else the owner has to know, a line each.
  let notes: [String]

  /// Writes the files of a vault into a repository. The outbox was sealed before.
  static func write(_ local: LocalVault, device: DeviceFile, to repository: Repository) throws -> BackupContents {
    try local.store.read { reader in
      let branches = try local.branches(in: reader)
      let length = try logLength(reader, branches.chain)
      var files = BackupFileList()
      var written: [(path: String, content: ObjectID)] = []
      var missing: [String] = []
      for place in try places(local, branches.chain, logLength: length, reader) {
        guard let file = try reader.file(at: place, sealedBy: device) else {
          missing.append("the file \(place.path), which this machine does not have or has damaged")
          continue
        }
        files.add(place.path, file)
        written.append((place.path, try repository.writeFile(file)))
      }
      for list in branches.chain.missingRecordLists where list.entry <= length {
        missing.append(
          "the list \(list.hash.hex.prefix(12)) of the records that a revocation has left, which has not arrived yet")
      }
      let membership = try local.membership(in: reader)
      if length < branches.chain.head.sequence {
        let count = try awaitingVersions(local.publishedLog(in: reader).membership, reader)
        if count > 0 {
          missing.append(
            "\(counted(count, "current version")) of items that wait for changes of membership which the remote has not accepted yet"
          )
        }
      }
      let unfollowed = try versionsOfLaterEpoch(device, reader)
      if unfollowed > 0 {
        missing.append(
          "\(counted(unfollowed, "current version")) of items of a later epoch, which a sync was following when it ended"
        )
      }
      let awaited = try MissingSegments.load(from: reader).count(in: reader)
      return BackupContents(
        branch: try reader.epochBranch(), log: try position(length, branches.chain, reader), files: files,
        commit: try repository.commit(of: written),
        localItemCount: try membership.groups.keys.reduce(0) {
          try $0 + reader.itemCount(in: $1) - reader.syncedItemCount(in: $1)
        },
        missing: missing, awaitsSegments: awaited > 0, notes: notes(branches, logLength: length, awaited: awaited))
    }
  }

  /// The number of log entries that cannot be discarded any more. Without a remote, or before the first sync with a new
  /// one, that is all.
  private static func logLength(_ reader: borrowing StoreReader, _ chain: Membership) throws -> UInt64 {
    let published = try reader.publishedLogLength()
    let hasSynced = try reader.setting(.remoteURL) != nil && reader.setting(.remoteTip) != nil
    return try hasSynced && published > 0 ? reader.settledLogLength() : chain.head.sequence
  }

  /// Returns the number of current versions that count on this machine by entries that may still be discarded only.
  private static func awaitingVersions(_ published: Membership, _ reader: borrowing StoreReader) throws -> Int {
    var count = 0
    for hash in try reader.sharedHeads() {
      guard let record = try? reader.record(hash)?.record() else { continue }
      if published.validity(of: record) != .valid { count += 1 }
    }
    return count
  }

  /// Returns the number of current versions that only the snapshot of a later epoch has: a sync imports these before
  /// the change to that epoch, and can be interrupted between.
  private static func versionsOfLaterEpoch(_ device: DeviceFile, _ reader: borrowing StoreReader) throws -> Int {
    let epoch = try reader.epochBranch().epoch
    var later: Set<RecordHash> = []
    var known: Set<RecordHash> = []
    for object in try reader.objects(.chunk) where object.published != nil {
      guard let chunk = try reader.object(object.key).flatMap({ try? SnapshotChunk(bytes: $0) }) else { continue }
      let hashes = chunk.entries.compactMap { $0.record.flatMap { try? Record(bytes: $0.bytes).hash } }
      if chunk.epoch == epoch { known.formUnion(hashes) } else { later.formUnion(hashes) }
    }
    if later.isEmpty { return 0 }
    known.formUnion(try reader.recordsInSegments(openedBy: device))
    return try reader.sharedHeads().count { later.contains($0) && !known.contains($0) }
  }

  private static func position(
    _ length: UInt64, _ chain: Membership, _ reader: borrowing StoreReader
  ) throws -> LogPosition {
    guard length > 0, let stored = try reader.logEntry(length) else {
      return LogPosition(sequence: 0, hash: chain.genesis.hash)
    }
    return try LogEntry(bytes: stored.entry).position
  }

  private static func places(
    _ local: LocalVault, _ chain: Membership, logLength: UInt64, _ reader: borrowing StoreReader
  ) throws -> [RemoteLayout.Place] {
    var places: [RemoteLayout.Place] = [.genesis, .rootSlot]
    if logLength > 0 { places += (1...logLength).map { .logEntry($0) } }
    let missing = Set(chain.missingRecordLists.map(\.hash))
    places += chain.revocations.filter { $0.position.sequence <= logLength }.flatMap(\.statement.recordLists)
      .filter { !missing.contains($0) }.map { .recordList($0) }
    places += chain.successions.filter { $0.position.sequence <= logLength }.map { .laterRootSlot($0.statement.slot) }
    let epoch = try reader.epochBranch().epoch
    for kind in [StoredObject.Kind.checkpoint, .chunk] {
      // The others are of an epoch that this machine was about to begin.
      places += try reader.objects(kind).filter { $0.published != nil }.compactMap {
        RemoteLayout.Place($0.key, in: epoch)
      }
    }
    if try reader.setting(.epochOpening) != nil { places.append(.opened) }
    places += try reader.publishedSegments().map { .segment($0.stream, $0.number) }
    let own = DeviceID(vault: chain.vault, keys: try local.deviceFile().keys.publicKeys)
    let membership = try local.membership(in: reader)
    places += try reader.unpublishedSegments().filter { segment in
      // A revocation may have reached the log since a segment of another machine was in a lane.
      segment.device == own || membership.refusal(of: .segment(segment.position), by: segment.device) == nil
    }.map { .segment($0.position.stream, $0.position.number) }
    var known: Set<RemoteLayout.Place> = []
    return places.filter { known.insert($0).inserted }
  }

  private static func notes(_ branches: LogBranches, logLength: UInt64, awaited: Int) -> [String] {
    var notes: [String] = []
    if let fork = branches.fork { notes.append("\(fork.words): the backup has the branch that this machine follows") }
    if branches.chain.head.sequence > logLength {
      notes.append(
        "\(counted(Int(clamping: branches.chain.head.sequence - logLength), "change")) of the membership that the remote has not accepted yet, left out"
      )
    }
    if awaited > 0 {
      notes.append("\(counted(awaited, "segment")) that this machine still awaits from the remote, left out")
    }
    return notes
  }
}

/// The names in a backup. FORMAT.md specifies them.
enum BackupLayout {
  /// The reference to the commit with the statement. It is below neither `refs/heads` nor `refs/tags`, so that a clone
  /// that git makes of a backup has the vault's branch only.
  static let reference = "refs/coffer/backup"
  static let statement = "statement"
  /// The file with the vault key.
  static let key = "key"
  /// The maximum size of both files.
  static let byteLimit = 4_096
}
