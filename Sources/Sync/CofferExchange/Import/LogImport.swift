internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Imports the membership log, and what belongs to it: lists of records, and slots of roots.
struct LogImport: ImportPart {
  let session: SyncSession
  var repairs = RemoteRepairs()
  /// The files of the log that this machine does not have yet.
  var files = MembershipFiles() { didSet { sealedLog = nil } }
  /// The entries among them, opened: they may introduce transport keys. Nil until one is missing.
  private var sealedLog: SealedLog?
  /// The entries of other branches of the log; nil until one may be there, and after the log has changed.
  private var competingEntries: CompetingEntryImport?
  /// The succession that the remote's log withdraws and this machine's log contains. Nothing is pushed then.
  private(set) var withdrawnSuccession: Succession?

  init(_ session: SyncSession) { self.session = session }

  /// Imports the log and what belongs to it.
  mutating func run() throws {
    try importLog()
    try importRecordLists()
    try importLaterRootSlots()
    try adoptTransportKeys()
    try checkNotRevoked()
  }

  var hasUnresolvedEntries: Bool { repairs.unresolved.contains { if case .logEntry = $0 { true } else { false } } }

  /// Imports new entries of the log, and entries of another branch as the proof of a fork.
  private mutating func importLog() throws {
    for sequence in files.log.keys.sorted() {
      guard let blob = files.log[sequence] else { continue }
      let place = RemoteLayout.Place.logEntry(sequence)
      let own = try local.store.read { try $0.logEntry(sequence) }
      do {
        let bytes = try repository.blob(blob, maximumByteCount: Limits.logEnvelopeByteCount)
        if let own, own.envelope == bytes {
          try local.store.write { try $0.markLogPublished(sequence, as: blob.bytes) }
          continue
        }
        let candidate = try open(bytes, at: sequence)
        let ownHash = try translatingErrors { try own.map { try LogEntry(bytes: $0.entry).hash } }
        if let own, ownHash == candidate.entry.hash {
          try adopt(candidate, as: blob, inPlaceOf: own)
        } else if let competing = try importCompetingEntry(candidate) {
          if let withdrawn = competing.withdrawnSuccession { withdrawnSuccession = withdrawn }
          if let reason = try reasonAgainst(candidate.entry, competing) { throw UnsoundObject(reason, .invalid) }
          repairs.unresolved.insert(place)
        } else if own != nil, try local.store.read({ try sequence <= $0.settledLogLength() }) {
          let isOfOtherBranch = try !followsChain(candidate.entry) && isSignedByMember(candidate.entry)
          throw UnsoundObject("it is not the one that this machine has seen", isOfOtherBranch ? .unverified : .invalid)
        } else {
          try accept(candidate, as: blob)
        }
      } catch {
        guard let fault = UnsoundObject(error) else { throw error }
        reportUnsound("has a log entry \(sequence) that is not valid: \(fault.reason)")
        if own?.isPublished == true, fault.isUnread || fault.verdict != .unverified {
          repairs.lost.insert(place)
        } else {
          // Those after it are examined too: one that a member has signed shows that the log goes on.
          try setAside(place, fault)
        }
      }
    }
  }

  /// An entry from the remote, opened but not verified yet.
  struct Candidate {
    let envelope: Envelope
    let entry: LogEntry
    /// The transport key that seals it.
    let key: TransportKey
    /// Whether it introduces this key to this machine.
    let isFresh: Bool
    /// Whether its envelope has the boxes that it names. Only one that introduces a key may have others.
    let hasItsBoxes: Bool

    /// Verifies that the newest transport key seals the entry, which the membership has, and that a new one wraps the
    /// one before.
    func checkSealing(in membership: Membership) throws {
      guard key.generation == membership.transportGeneration else {
        throw UnsoundObject("it is sealed under another transport key than the newest", .invalid)
      }
      guard let statement = try entry.transportKeyStatement else { return }
      let previous = membership.transportCommitments.dropLast().last
      guard key.wraps(statement.wrappedPrevious, previous: previous, in: membership.vault) else {
        throw UnsoundObject("its transport key does not wrap the one before", .invalid)
      }
    }
  }

  mutating func open(_ bytes: [UInt8], at sequence: UInt64) throws -> Candidate {
    let envelope = try Envelope(bytes: bytes)
    let known = device.transportKey(envelope.generation)
    guard let (entry, key) = try known.map({ (try Self.entry(in: envelope, $0), $0) }) ?? introduced(by: envelope)
    else {
      throw UnsoundObject(
        "it is sealed under an unknown transport key", try verdict(onUnopened: envelope, at: sequence))
    }
    guard entry.sequence == sequence else { throw UnsoundObject("it is another entry", .invalid) }
    return Candidate(
      envelope: envelope, entry: entry, key: key, isFresh: known == nil, hasItsBoxes: try entry.names(boxesOf: envelope)
    )
  }

  private static func entry(in envelope: Envelope, _ key: TransportKey) throws(FormatError) -> LogEntry {
    try LogEntry(opening: envelope, with: key, acceptingOtherBoxes: true)
  }

  /// Opens an entry with a key that it may introduce: one that is sealed to this machine or, if somebody has altered
  /// the boxes, one to which a later entry leads. Nil if there is none.
  private mutating func introduced(by envelope: Envelope) throws -> (LogEntry, TransportKey)? {
    if let boxed = device.transportKey(introducedBy: envelope) { return (try Self.entry(in: envelope, boxed), boxed) }
    guard envelope.generation > newestGeneration else { return nil }
    if sealedLog == nil {
      sealedLog = try sealedLog(of: Array(files.log.values), following: local.membership())
    }
    return sealedLog?.entry(in: envelope)
  }

  private var newestGeneration: UInt32 { device.transportKeys.last?.generation ?? 0 }

  /// Decides what is done with a file that does not open.
  private func verdict(onUnopened envelope: Envelope, at sequence: UInt64) throws -> UnsoundObject.Verdict {
    guard envelope.content == .logEntry else { return .invalid }
    let length = try local.store.read { try $0.publishedLogLength() }
    // This machine has the entry that belongs there.
    guard sequence > length else { return .invalid }
    // Each of the later entries can have introduced one key, and somebody may have taken away the boxes.
    let mayBeIntroduced = UInt64(envelope.generation) <= UInt64(newestGeneration) + (sequence - length)
    return mayBeIntroduced || !envelope.boxes.isEmpty ? .unverified : .unannounced
  }

  /// Takes over the sealed form of an entry that this machine has. Whoever holds the transport key can seal an entry
  /// again: if the file were replaced by this machine's, two machines with different ones would replace them for ever.
  /// It must be what the signer has made in every other way.
  private mutating func adopt(_ candidate: Candidate, as blob: ObjectID, inPlaceOf own: StoredLogEntry) throws {
    let (entry, envelope) = (candidate.entry, candidate.envelope)
    let held = try translatingErrors { () throws in (try LogEntry(bytes: own.entry), try Envelope(bytes: own.envelope))
    }
    guard candidate.hasItsBoxes else {
      if try held.0.names(boxesOf: held.1) { throw UnsoundObject("its boxes were altered", .invalid) }
      return reportAlteredBoxes(of: entry)
    }
    guard envelope.generation == held.1.generation else {
      throw UnsoundObject("it was sealed again under another transport key", .invalid)
    }
    if entry.bytes != own.entry {
      // Its signer can make any number of signatures. All machines keep the same one of those that they have seen.
      let chain = try competingEntries?.fold.chain ?? local.store.read { try local.branches(in: $0).chain }
      guard !own.entry.lexicographicallyPrecedes(entry.bytes), chain.hasSigned(entry) else {
        throw UnsoundObject("it has another signature", .invalid)
      }
    }
    try local.store.write {
      try $0.replaceLogEntry(own.sequence, by: entry.bytes, envelope.bytes, as: blob.bytes)
    }
  }

  /// Verifies an entry against the log before it and appends it, in place of this machine's unpublished entries.
  private mutating func accept(_ candidate: Candidate, as blob: ObjectID) throws {
    let entry = candidate.entry
    // Verify before anything is discarded or the key is used: a host could seal a key of its own to this machine.
    var membership = try membership(before: entry.sequence, in: competingEntries?.fold.chain)
    let follows = entry.previous == membership.head.hash
    do throws(TrustError) {
      try membership.apply(entry)
    } catch {
      // An entry that follows this very log is never valid. One that follows another may be of another branch.
      let isOfOtherBranch = try !follows && isSignedByMember(entry)
      throw UnsoundObject(error.description, isOfOtherBranch ? .unverified : .invalid)
    }
    try candidate.checkSealing(in: membership)
    if !candidate.hasItsBoxes { reportAlteredBoxes(of: entry) }
    // Write the key before the entry: without the key, no later object could be opened.
    if candidate.isFresh { try add(candidate.key) }
    report.membershipDiscarded += try local.store.write { writer in
      let discarded = try writer.withdrawUnpublishedLog()
      // An entry that another one follows was published.
      if try writer.publishedLogLength() + 1 < entry.sequence {
        try writer.markLogPublished(entry.sequence - 1, as: [])
      }
      try writer.appendLogEntry(
        sequence: entry.sequence, entry: entry.bytes, envelope: candidate.envelope.bytes, published: blob.bytes)
      // The host kept an entry that this machine gave up. What belongs to it may be nowhere else.
      for (sequence, copy) in try WithdrawnLog.load(from: writer).entries(after: membership) {
        try writer.appendLogEntry(sequence: sequence, entry: copy.entry, envelope: copy.envelope, published: nil)
      }
      return discarded
    }
    competingEntries = nil
    report.membershipReceived += 1
    FaultPoint.reached(.logEntryImported)
  }

  /// Reports an entry of which no machine without its transport key can open what follows. This machine has no genuine
  /// copy.
  private mutating func reportAlteredBoxes(of entry: LogEntry) {
    reportUnsound(
      "has a log entry \(entry.sequence) with altered boxes: sync the other machines, one of which may have the genuine ones"
    )
  }

  /// Keeps an entry of another branch of the log, which proves that the log has forked. Returns nil if it is none.
  private mutating func importCompetingEntry(_ candidate: Candidate) throws -> CompetingBranchFold.CompetingEntry? {
    let entry = candidate.entry
    var known = try competingEntries ?? local.store.read { try CompetingEntryImport(local, $0) }
    // The fold must not be copied for each entry.
    competingEntries = nil
    defer { competingEntries = known }
    guard entry.previous != known.fold.chain.head.hash, let competing = known.fold.add(entry) else { return nil }
    guard known.keep(entry, competing, byteCount: entry.bytes.count + candidate.envelope.bytes.count) else {
      return competing
    }
    try local.store.write { writer in
      try writer.insertCompetingEntry(
        entry.hash, sequence: entry.sequence, entry: entry.bytes, envelope: candidate.envelope.bytes)
    }
    return competing
  }

  /// Returns why the branch of an entry counts for nothing; nil if it is a branch of a fork, and the entry is kept.
  private func reasonAgainst(_ entry: LogEntry, _ competing: CompetingBranchFold.CompetingEntry) throws -> String? {
    guard !competing.validity.counts else {
      guard competingEntries?.isKept(entry) == true else {
        throw UnsoundObject("it is on another branch of the log, of which this machine keeps no more")
      }
      return nil
    }
    let isGivenUp = competingEntries?.fold.chain.isWithdrawn(entry.hash, by: entry.signer) == true
    if competing.validity.contains(.rejected) { return "root has rejected its branch" }
    guard competing.validity.contains(.outdated), !isGivenUp else { return "its signer withdrew it" }
    if let withdrawn = competing.withdrawnSuccession {
      return "its branch withdraws the replacement of the vault key in entry \(withdrawn.position.sequence) here"
    }
    guard case .succession(let statement)? = try? Statement.parse(entry),
      let own = competingEntries?.fold.chain.successions.first(where: {
        $0.statement.generation == statement.generation
      })
    else { return "it is of a branch from before the vault key was replaced" }
    return
      "it hands the vault to another vault key than entry \(own.position.sequence) here: somebody with the old vault key can push; compare `coffer status` on your machines"
  }

  /// Whether the log here contains the entry that `entry` names as the one before it.
  private func followsChain(_ entry: LogEntry) throws(VaultError) -> Bool {
    let genesis = try local.membership().genesis.hash
    return try translatingErrors {
      try local.store.read { reader in
        guard entry.sequence > 1 else { return entry.previous == genesis }
        guard let before = try reader.logEntry(entry.sequence - 1) else { return false }
        return try LogEntry(bytes: before.entry).hash == entry.previous
      }
    }
  }

  /// Whether root or an admin that the log here knows has signed an entry.
  private func isSignedByMember(_ entry: LogEntry) throws -> Bool {
    if let competingEntries { return competingEntries.fold.chain.isSignedByMember(entry) }
    return try local.store.read { try local.branches(in: $0).chain.isSignedByMember(entry) }
  }

  /// Reports, at every sync, that the log has forked, or that a replacement of the vault key was withdrawn. Returns the
  /// fork: this machine's entries are not pushed again meanwhile, because that would mix the branches.
  func reportFork() throws -> LogFork? {
    if let withdrawnSuccession {
      // Who has the other branch restores it at each sync. If this machine did so too, neither would ever be done.
      report.add(
        .contradiction,
        """
        the remote has another log than this machine, which withdraws the replacement of the vault key in entry \
        \(withdrawnSuccession.position.sequence) here. Either that was refused by the host and repeated on \
        another machine, or somebody with the old vault key can push. Nothing is pushed from here until you decide: compare \
        the head phrase of `coffer status` with that of the machine where you replaced the vault key. If they differ and \
        that machine syncs, run here: coffer clone --rejoin --accept-fork. If they are the same, take away the right to \
        push from whoever may have the old vault key, and set a new, empty repository on your machines: coffer remote set URL
        """)
    }
    guard let fork = try local.fork() else { return nil }
    report.add(.contradiction, fork.error.description)
    return fork
  }
}

/// The entries of other branches of the log, while a sync looks for more of them.
struct CompetingEntryImport {
  var fold: CompetingBranchFold
  private var kept: Set<EntryHash>
  private var byteCounts: [BranchValidity: Int] = [:]

  /// Reads what the store has of the log and its other branches.
  init(_ local: LocalVault, _ reader: borrowing some StoreAccess & ~Copyable) throws {
    let branches = try local.branches(in: reader)
    let stored = try reader.competingEntries()
    (fold, kept) = try translatingErrors { () throws in
      let kept = Set(branches.competingEntries.keys)
      let known = stored.compactMap { try? LogEntry(bytes: $0.entry) }
      let fold = CompetingBranchFold(
        chain: branches.chain,
        entries: try reader.logEntries(after: 0, through: reader.settledLogLength()).map { try LogEntry(bytes: $0) },
        competingEntries: known, verified: kept, discarded: try WithdrawnLog.load(from: reader).hashes)
      return (fold, kept)
    }
    for competing in stored {
      guard let entry = try? LogEntry(bytes: competing.entry), let validity = branches.competingEntries[entry.hash]
      else { continue }
      byteCounts[validity.space, default: 0] += competing.entry.count + competing.envelope.count
    }
  }

  /// Whether the store has an entry.
  func isKept(_ entry: LogEntry) -> Bool { kept.contains(entry.hash) }

  /// Decides whether an entry is to be stored: it is new, and there is space for those that count as much. Those that
  /// came first stay. So nothing that counts gives way, and what precedes an entry is there.
  mutating func keep(_ entry: LogEntry, _ competing: CompetingBranchFold.CompetingEntry, byteCount: Int) -> Bool {
    let space = competing.validity.space
    guard !isKept(entry), byteCounts[space, default: 0] + byteCount <= space.byteLimit else { return false }
    byteCounts[space, default: 0] += byteCount
    kept.insert(entry.hash)
    return true
  }
}

extension BranchValidity {
  /// What entries with one limit have in common: nobody can use up the space of a real proof, nor that of a rejected
  /// branch, on which root may have ended the fork as well.
  fileprivate var space: BranchValidity {
    if !isDisjoint(with: [.removed, .outdated]) { return .outdated }
    return contains(.rejected) ? .rejected : self
  }

  fileprivate var byteLimit: Int { self == .outdated ? Limits.voidCompetingByteCount : Limits.competingByteCount }
}
