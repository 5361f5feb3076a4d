internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Imports the logs of branches that this machine does not follow. The branches together are the vault's log.
extension LogImport {
  /// Imports what the logs of other branches have and this machine's log lacks. If the branch of this machine lacks it,
  /// too, the import of that branch, which must follow, finds it lost. `own` is the commit of the branch that this
  /// machine follows; nil if the remote does not have it. Returns the commits that need not be imported again:
  /// everything there could be read.
  mutating func importOtherLogs(at tips: [ObjectID], besides own: ObjectID?) throws -> Set<ObjectID> {
    session.hasUnresolvedOtherEntries = false
    var finished: Set<ObjectID> = []
    var found: [ObjectID] = []
    let genesis = try local.membership().genesis
    for tip in tips {
      // The branch of another vault has nothing of this one.
      if try RemoteState.isBranch(tip, ofVault: genesis.hash, in: repository) {
        found.append(tip)
      } else {
        finished.insert(tip)
      }
    }
    let known = try PublishedLog(local)
    // Most branches share their log, and its history, with that of this machine.
    let others = try MembershipFiles(ofHistories: found, of: repository)
    // Also what a sync has imported that was interrupted before it could follow one of the branches.
    session.otherLogPlaces.formUnion(others.places)
    guard !known.hasEverything(in: others) else { return Set(tips) }
    defer { session.hasUnresolvedOtherEntries = hasUnresolvedEntries }
    let all = try MembershipFiles(ofHistories: found + [own].compactMap { $0 }, of: repository)
    (files.recordLists, files.rootSlots) = known.unknown(all)
    // A machine that was absent must not follow a branch of entries that only the log of another branch makes void.
    files.log = try chain(in: all.everyLogEntry) ?? own.map { try unknownLog(at: $0, besides: known) } ?? [:]
    session.otherLogPlaces.formUnion(files.places)
    try run()
    try importMissing(of: all)
    (files.recordLists, files.rootSlots) = known.unknown(all)
    let imported = try PublishedLog(local)
    for tip in found {
      let earlier = repairs.unresolved
      files.log = try unknownLog(at: tip, besides: imported)
      if files.log.isEmpty && files.recordLists.isEmpty && files.rootSlots.isEmpty {
        finished.insert(tip)
        continue
      }
      try run()
      if repairs.unresolved == earlier { finished.insert(tip) }
    }
    return finished
  }

  /// Lists the entries of a branch's log that this machine does not have.
  private mutating func unknownLog(at tip: ObjectID, besides known: PublishedLog) throws -> [UInt64: ObjectID] {
    var log = try MembershipFiles(at: tip, of: repository).log
    for (sequence, blob) in log {
      guard let own = known.entries[sequence] else { continue }
      if try known.files.contains(blob) || holdsEntry(own, blob, at: sequence) { log[sequence] = nil }
    }
    return log
  }

  /// Whether a file has an entry that this machine has, sealed again.
  private mutating func holdsEntry(_ entry: [UInt8], _ blob: ObjectID, at sequence: UInt64) throws -> Bool {
    try UnsoundObject.ignoring {
      let bytes = try repository.blob(blob, maximumByteCount: Limits.logEnvelopeByteCount)
      return try open(bytes, at: sequence).entry.bytes == entry
    } ?? false
  }

  /// Chooses the entries with which the log goes on. Returns nil if the branches contradict each other, so that there
  /// is a fork, or if root and admins have signed too much to compare. Throws `integrity` if they hand the vault to two
  /// vault keys.
  private func chain(in blobs: [ObjectID]) throws -> [UInt64: ObjectID]? {
    let known = try translatingErrors {
      try local.store.read { reader in
        try reader.logEntries(after: 0, through: reader.settledLogLength()).map { try LogEntry(bytes: $0) }
      }
    }
    let start = try membership(before: UInt64(known.count) + 1)
    guard let sealed = try sealedLog(of: blobs, following: start) else { return nil }
    let union = sealed.union(following: start, ownEntries: known)
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

/// What this machine has of the log, and of what belongs to it, that was published.
private struct PublishedLog {
  private(set) var entries: [UInt64: [UInt8]] = [:]
  /// The identifiers of the entries' files.
  private(set) var files: Set<ObjectID> = []
  private var recordLists: Set<Bytes32> = []
  private var rootSlots: Set<Bytes32> = []

  init(_ local: LocalVault) throws {
    for stored in try local.store.read({ try $0.logEntries(after: 0) }) where stored.isPublished {
      entries[stored.sequence] = stored.entry
      files.insert(try ObjectID.ofFile(stored.envelope))
    }
    for object in try local.store.read({ try $0.objects(.recordList) + $0.objects(.rootSlot) })
    where object.published != nil {
      switch object.key {
      case .recordList(let hash): recordLists.insert(hash)
      case .rootSlot(let hash): rootSlots.insert(hash)
      case .checkpoint, .chunk: break
      }
    }
  }

  /// Whether branches have nothing, and had nothing, that is not here.
  func hasEverything(in found: MembershipFiles) -> Bool {
    files.isSuperset(of: found.everyLogEntry)
      && found.versions.keys.allSatisfy { place in
        switch place {
        case .recordList(let hash): recordLists.contains(hash)
        case .laterRootSlot(let hash): rootSlots.contains(hash)
        default: true
        }
      }
  }

  /// The record lists and the slots of later roots that are not here.
  func unknown(_ found: MembershipFiles) -> ([Bytes32: ObjectID], [Bytes32: ObjectID]) {
    (
      found.recordLists.filter { !recordLists.contains($0.key) },
      found.rootSlots.filter { !rootSlots.contains($0.key) }
    )
  }
}

extension LogImport {
  /// The maximum size of the signed entries that are imported into memory. Only root and admins can sign one.
  private static let newLogByteCount = 256 << 20

  /// Imports the log that several branches show together into a store that has nothing of it, with one fold and in one
  /// transaction. The import of a branch, which must follow, reports what is not valid there. Throws `integrity` for a
  /// log that is too large, has forked, or lacks an entry that others follow.
  mutating func importNewLog(at tips: [ObjectID]) throws {
    let found = try MembershipFiles(ofHistories: tips, of: repository)
    let start = try local.membership()
    let known = device.transportKeys
    guard let sealed = try sealedLog(of: found.everyLogEntry, following: start) else {
      throw VaultError(
        .integrity,
        "root and admins have signed more than \(Self.newLogByteCount >> 20) MiB of the membership log at \(url)",
        recoverySuggestion:
          "set a new, empty repository on a machine of the vault, which sends only its own log: coffer remote set URL")
    }
    let union = sealed.union(following: start) { membership in
      let commitments = Set(membership.transportCommitments)
      return known.allSatisfy { commitments.contains($0.commitment) }
    }
    if let fork = union.fork { throw fork.error }
    if let missing = sealed.gap(after: union) {
      throw VaultError(
        .integrity, "\(url) lacks log entry \(missing), or has it in another form, and others follow it",
        recoverySuggestion: "run `coffer sync` on a machine of the vault, which restores it, and try again")
    }
    for key in sealed.transportKeys(of: union.chain) ?? [] where device.transportKey(key.generation) == nil {
      try add(key)
    }
    try local.store.write { writer in
      for (entry, envelope) in sealed.envelopes(of: union.entries) {
        try writer.appendLogEntry(
          sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes,
          published: ObjectID.ofFile(envelope.bytes).bytes)
      }
    }
    report.membershipReceived += union.entries.count
    // What one branch lacks, another one may have.
    (files.recordLists, files.rootSlots) = (found.recordLists, found.rootSlots)
    let earlier = report
    try run()
    try importMissing(of: found)
    report.forgetProblems(since: earlier)
  }

  /// Imports the record lists and slots of roots that the log names and this machine lacks: of each the first file that
  /// is genuine, whatever the number of others that a branch has, or has had, at its place.
  mutating func importMissing(of found: MembershipFiles) throws {
    while true {
      (files.log, files.recordLists, files.rootSlots) = ([:], [:], [:])
      let (chain, missing) = try missingPlaces()
      for place in missing {
        let content = try found.versions[place]?.first { try isGenuine($0, at: place, in: chain) }
        switch place {
        case .recordList(let hash): files.recordLists[hash] = content
        case .laterRootSlot(let hash): files.rootSlots[hash] = content
        default: break
        }
      }
      if files.recordLists.isEmpty && files.rootSlots.isEmpty { return }
      try run()
      // A list can make a revocation take effect that names others.
      if try missingPlaces().missing == missing { return }
    }
  }

  /// The places of what the log names and the store does not have.
  private func missingPlaces() throws -> (chain: Membership, missing: [RemoteLayout.Place]) {
    try local.store.read { reader in
      let branches = try local.branches(in: reader)
      let lists = Set(
        (branches.chain.revocations + branches.effective.revocations).flatMap(\.statement.recordLists))
      let slots = branches.chain.successions.map(\.statement.slot)
      let missing =
        try lists.sorted().filter { try reader.object(.recordList($0)) == nil }.map { .recordList($0) }
        + slots.filter { try reader.object(.rootSlot($0)) == nil }.map { RemoteLayout.Place.laterRootSlot($0) }
      return (branches.chain, missing)
    }
  }

  /// Opens the sealed entries of a log. Files that cannot be read, or are none, are left out. Returns nil if root and
  /// admins have signed more than this machine imports.
  func sealedLog(of blobs: [ObjectID], following start: Membership) throws -> SealedLog? {
    let sealed = try SealedLog(
      of: blobs.count, openedBy: device.keys.agreement, and: device.transportKeys, following: start,
      byteLimit: Self.newLogByteCount
    ) { numbers in
      try UnsoundObject.ignoring {
        try repository.blob(blobs[numbers[numbers.startIndex]], maximumByteCount: Limits.logEnvelopeByteCount)
      }
    }
    return sealed.byteCount <= Self.newLogByteCount ? sealed : nil
  }
}
