internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Imports the logs of branches that this machine does not follow. The branches together are the vault's log.
extension Importer {
  /// Imports what the logs of other branches have and this machine's log lacks. If the branch of this machine lacks it,
  /// too, the import of that branch, which must follow, finds it lost. `own` is the commit of the branch that this
  /// machine follows; nil if the remote does not have it. Returns the commits that need not be imported again:
  /// everything there could be read.
  mutating func importOtherLogs(at tips: [ObjectID], besides own: ObjectID?) throws -> Set<ObjectID> {
    var found: [ObjectID: MembershipFiles] = [:]
    var finished: Set<ObjectID> = []
    let genesis = try local.membership().genesis
    for tip in tips {
      // The branch of another vault has nothing of this one.
      let isOfVault = try RemoteState.isBranch(tip, ofVault: genesis.hash, in: repository)
      let files = isOfVault ? try unknownFiles(at: tip, readingHistory: true) : nil
      if let files, !files.isEmpty { found[tip] = files } else { finished.insert(tip) }
    }
    guard !found.isEmpty else { return finished }
    let ownFiles = try own.map { try unknownFiles(at: $0, readingHistory: true) }
    var all = MembershipFiles()
    for files in found.values { all.merge(files) }
    (membershipFiles.recordLists, membershipFiles.rootSlots) = (all.recordLists, all.rootSlots)
    // A machine that was absent must not follow a branch of entries that only the log of another branch makes void.
    membershipFiles.log = try chain(in: found.values + [ownFiles].compactMap { $0 }) ?? ownFiles?.log ?? [:]
    session.otherLogPlaces.formUnion(
      membershipFiles.log.keys.map { .logEntry($0) } + membershipFiles.recordLists.keys.map { .recordList($0) }
        + membershipFiles.rootSlots.keys.map { .laterRootSlot($0) })
    try importMembership()
    try importFormer(all)
    (membershipFiles.recordLists, membershipFiles.rootSlots) = (all.recordLists, all.rootSlots)
    for tip in tips {
      guard found[tip] != nil else { continue }
      let earlier = repairs.unresolved
      membershipFiles.log = try unknownFiles(at: tip).log
      try importMembership()
      if repairs.unresolved == earlier { finished.insert(tip) }
    }
    return finished
  }

  /// Names, when it is certain that the vault continues on the branch of this machine, what that lacks of the log.
  mutating func reportLogOfOtherBranches() {
    let missing = repairs.lost.intersection(session.otherLogPlaces).count
    guard missing > 0 else { return }
    reportProblem(
      .missing,
      "lacks \(missing) files of the membership log that another branch has: the branch \(branch.name) was set back, or somebody has pushed to it"
    )
  }

  /// Lists the files of a branch that have something which this machine does not have.
  private mutating func unknownFiles(
    at tip: ObjectID, readingHistory readsHistory: Bool = false
  ) throws -> MembershipFiles {
    var files = try MembershipFiles(at: tip, of: repository, readingHistory: readsHistory)
    for stored in try local.store.read({ try $0.logEntries(after: 0) }) where stored.isPublished {
      guard let blob = files.log[stored.sequence] else { continue }
      if try ObjectID.ofFile(stored.envelope) == blob || holdsEntry(stored.entry, blob, at: stored.sequence) {
        files.log[stored.sequence] = nil
      }
    }
    try local.store.read { reader in
      for object in try reader.objects(.recordList) + reader.objects(.rootSlot) where object.published != nil {
        switch object.key {
        case .recordList(let hash): files.recordLists[hash] = nil
        case .rootSlot(let hash): files.rootSlots[hash] = nil
        case .checkpoint, .chunk: break
        }
      }
    }
    return files
  }

  /// Whether a file has an entry that this machine has, sealed again.
  private mutating func holdsEntry(_ entry: [UInt8], _ blob: ObjectID, at sequence: UInt64) throws -> Bool {
    try UnsoundObject.ignoring {
      let bytes = try repository.blob(blob, maximumByteCount: Limits.logEnvelopeByteCount)
      return try open(bytes, at: sequence).entry.bytes == entry
    } ?? false
  }

  /// Chooses the entries with which the log goes on. Returns nil if the branches contradict each other, so that there
  /// is a fork, or have too much to compare. Throws `integrity` if they hand the vault to two vault keys.
  private func chain(in branches: [MembershipFiles]) throws -> [UInt64: ObjectID]? {
    let known = try translatingErrors {
      try local.store.read { reader in
        try reader.logEntries(after: 0).filter(\.isPublished).map { try LogEntry(bytes: $0.entry) }
      }
    }
    let start = try membership(before: UInt64(known.count) + 1)
    guard let sealed = try sealedLog(of: Set(branches.flatMap(\.everyLogEntry)), vault: start.vault) else { return nil }
    let union = sealed.union(following: start, known: known)
    if let fork = union.fork {
      guard !fork.isHandedOverTwice else { throw fork.error }
      return nil
    }
    let generation = UInt32(start.transportCommitments.count)
    var files: [UInt64: ObjectID] = [:]
    for (entry, envelope) in sealed.envelopes(of: union.entries.dropFirst(known.count), after: generation) {
      files[entry.sequence] = try ObjectID.ofFile(envelope.bytes)
    }
    return files
  }
}
