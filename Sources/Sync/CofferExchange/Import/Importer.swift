internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Imports the objects of the remote. Each object is verified first, and nothing that this machine has is discarded.
/// Three parts share the work: the log, which says what the others may contain; the epoch; and the segments.
///
/// Every sync compares all files of the remote with the objects that this machine has published. So an object that
/// could not be imported is looked at again at each sync, whatever the host has shown since.
struct Importer: SyncPart {
  let session: SyncSession
  var log: LogImport
  var epoch: EpochImport
  var segments: SegmentImport
  /// Whether this machine has synced with this remote before. An object that is missing there was lost then.
  private(set) var knowsRemote = false
  /// What the next commit changes at the remote: what the comparison of files and the parts have found.
  private(set) var repairs = RemoteRepairs()

  init(_ session: SyncSession) {
    self.session = session
    (log, epoch, segments) = (LogImport(session), EpochImport(session), SegmentImport(session))
  }

  /// Imports every object at `tip` that this machine does not have, and compares those that it has. `tip` is nil if the
  /// remote has no such branch. Lanes are not read if the epoch has ended.
  mutating func run(at tip: ObjectID?, lanes: [Lane: ObjectID] = [:]) throws {
    steps.report?(SyncStep(.importing))
    session.unadmittedByteCounts = nil
    try log.adoptTransportKeys()
    try log.checkTransportKeys()
    try log.checkNotRevoked()
    try importObjects(tip)
    // If the epoch has ended, lanes may follow what only the branch of the next one has, on which they are imported.
    if tip != nil, epoch.closing == nil { try segments.importLanes(lanes) }
    try segments.checkSeenPositions()
    try segments.checkLogClaims()
    reportRefusedRecords()
    guard let fork = try log.reportFork() else { return }
    repairs.lost = repairs.lost.filter {
      guard case .logEntry(let sequence) = $0 else { return true }
      return sequence <= fork.parent.sequence
    }
  }

  /// Imports what a branch had before a file was changed or removed. What is wrong with it is not named. The commit of
  /// another vault is ignored.
  mutating func importHistory(at commit: ObjectID) throws {
    let genesis = try local.membership().genesis
    guard try repository.soundBlob(at: RemoteLayout.Place.genesis.path, in: commit) == genesis.bytes else { return }
    let earlier = report
    session.isImportingHistory = true
    defer {
      session.isImportingHistory = false
      report.forgetProblems(since: earlier)
    }
    do {
      try run(at: commit)
    } catch let error as VaultError where error.code == .integrity {
      // An attacker with push access has made this commit, or it is the fault of the latest one, too.
      return
    }
    try local.store.write { try $0.setSetting(.remoteTip, commit.bytes) }
  }

  private mutating func importObjects(_ tip: ObjectID?) throws {
    try loadEpoch()
    var comparison = RemoteComparison(session: session, branch: epoch.branch)
    try comparison.run(at: tip)
    (knowsRemote, repairs) = (comparison.knowsRemote, comparison.repairs)
    guard comparison.isReadable else { return try segments.revalidateRecords() }
    (log.files, epoch.files, segments.files) = (comparison.membershipFiles, comparison.files, comparison.segments)
    if let blob = comparison.rootSlot, try !log.importRootSlot(blob) { repairs.lost.insert(.rootSlot) }
    try log.run()
    (epoch.hasUnresolvedEntries, segments.hasUnresolvedEntries) = (log.hasUnresolvedEntries, log.hasUnresolvedEntries)
    try epoch.run()
    segments.checkpoint = epoch.checkpoint
    // Before more records are imported, so that each of them is evaluated once.
    try segments.revalidateRecords()
    try segments.run()
    for part in [log.repairs, epoch.repairs, segments.repairs] { repairs.formUnion(part) }
    // After the log: a critical entry of a newer program may have announced new kinds of files.
    if try !log.hasNewerEntries() { repairs.invalidPaths.formUnion(repairs.unknownPaths) }
    try findGaps()
  }

  /// Reads which epoch this machine follows.
  mutating func loadEpoch() throws {
    try epoch.load()
    segments.checkpoint = epoch.checkpoint
  }

  /// Finds objects that were published, because a later one of the same chain is at the remote, and are not there: the
  /// machine was interrupted between push and acknowledgement, and the host has dropped them since.
  private mutating func findGaps() throws {
    for place in try local.store.read({ try PublishedObjects.unidentified($0) })
    where repairs.lost.insert(place).inserted {
      reportProblem(.missing, "has lost \(place.path)")
    }
  }

  /// Names, when it is certain that the vault continues on the branch of this machine, what that lacks of the log.
  func reportLogOfOtherBranches() {
    let missing = repairs.lost.intersection(session.otherLogPlaces).count
    guard missing > 0 else { return }
    reportProblem(
      .missing,
      "lacks \(missing) files of the membership log that another branch has: the branch \(epoch.branch.name) was set back, or somebody has pushed to it"
    )
  }

  /// Reports the records that this sync has found refused, by author.
  mutating func reportRefusedRecords() {
    defer { (segments.refusals, epoch.refusals) = (FoundRefusals(), FoundRefusals()) }
    let refused = segments.refusals.records.merging(epoch.refusals.records, uniquingKeysWith: +)
    for entry in UnadmittedRecords(refused).entries { report.add(.refused, "refused \(entry.words)") }
    guard let membership = try? local.membership() else { return }
    for (machine, count) in segments.refusals.droppedCounts.sorted(by: { $0.key < $1.key }) {
      report.add(
        .refused,
        "\(counted(count, "refused record")) of \(membership.name(of: machine)) cannot be kept, because this machine has no space for more; see what it keeps, and discard it, with: coffer refused"
      )
    }
  }
}

/// A part of an import.
protocol ImportPart: SyncPart {
  /// What the part has found that the next commit changes at the remote.
  var repairs: RemoteRepairs { get set }
  /// Whether the remote has entries of the log that could not be imported.
  var hasUnresolvedEntries: Bool { get }
}

extension ImportPart {
  /// Says how many of the new segments are imported.
  func report(imported count: Int, of total: Int) { steps.report?(SyncStep(.importing, done: count, total: total)) }

  /// Imports a file with `body`. If it cannot be used, names it by `words`, and decides what becomes of it: this
  /// machine's copy replaces it if there is one.
  mutating func importFile(
    _ place: RemoteLayout.Place, _ words: String, isHeld: Bool, _ body: (inout Self) throws -> Void
  ) throws {
    do {
      try body(&self)
    } catch {
      guard let fault = UnsoundObject(error) else { throw error }
      reportUnsound("has a \(words) that is not valid: \(fault.reason)")
      if isHeld { repairs.lost.insert(place) } else { try setAside(place, fault) }
    }
  }

  /// Notes an object that cannot be used. It is removed with the next commit if it is certainly not valid.
  mutating func setAside(_ place: RemoteLayout.Place, _ fault: UnsoundObject) throws {
    if try isFinal(fault) { repairs.invalidPaths.insert(place.path) } else { repairs.unresolved.insert(place) }
  }

  /// Whether nothing that arrives later can make an object valid.
  func isFinal(_ fault: UnsoundObject) throws -> Bool {
    switch fault.verdict {
    case .invalid, .refused: true
    case .unannounced: try isLogComplete()
    case .unverified: false
    }
  }

  /// Whether nothing suggests that the log has entries, or lists of records, which this machine does not have or does
  /// not understand.
  func isLogComplete() throws -> Bool {
    guard try !hasUnresolvedEntries && !session.hasUnresolvedOtherEntries && !hasNewerEntries() else { return false }
    return try local.store.read { reader in
      let chain = try local.branches(in: reader).chain
      return try chain.incompleteBatch == nil && chain.missingRecordLists.isEmpty
        && LogClaims.load(from: reader).open.isEmpty
    }
  }

  /// Whether the log has an entry of a newer program that this one does not understand.
  func hasNewerEntries() throws -> Bool {
    try local.store.read { try local.branches(in: $0).chain.firstUnknownCritical != nil }
  }

  /// Returns the membership as it was before an entry; at the end of the log, if that is earlier. `known` is the
  /// membership at the end, if it was read.
  func membership(before sequence: UInt64, in known: Membership? = nil) throws(VaultError) -> Membership {
    try translatingErrors {
      try local.store.read { reader in
        let chain = try known ?? local.branches(in: reader).chain
        if chain.head.sequence < sequence { return chain }
        var membership = Membership(genesis: chain.genesis)
        for stored in try reader.logEntries(after: 0) where stored.sequence < sequence {
          // They have been verified for `chain`.
          try membership.apply(try LogEntry(bytes: stored.entry), isVerified: true)
        }
        return membership
      }
    }
  }

  /// Opens a file. `verdict` is what becomes of it if it is sealed under an unknown transport key.
  func open(
    _ file: [UInt8], as content: Envelope.Content, _ verdict: UnsoundObject.Verdict = .unannounced
  ) throws -> [UInt8] {
    let envelope = try Envelope(bytes: file)
    guard envelope.content == content else { throw FormatError(.otherKind, object: "envelope", field: "content") }
    guard let key = device.transportKey(envelope.generation) else {
      throw UnsoundObject("it is sealed under an unknown transport key", verdict)
    }
    return try envelope.open(with: key.key)
  }
}

/// What an import has found refused.
struct FoundRefusals {
  /// The number of refused records.
  var records: [UnadmittedRecords.Entry: Int] = [:]
  /// The number of refused records of each machine that are not kept, because there was no space.
  var droppedCounts: [DeviceID: Int] = [:]
  /// The files of segments that are refused for good.
  var files: Set<ObjectID> = []
}

/// Finds what machines of the vault have made among the files of a history. An attacker with push access can add any
/// number of others, and limits that counted them would hide these.
extension SyncPart {
  /// Returns how many bytes of contents may still be kept of records in a machine's segments, or of withdrawn ones if
  /// no machine is given.
  func contentSpace(for device: DeviceID?, _ writer: borrowing StoreWriter) throws(StoreError) -> Int {
    let used = if let known = session.unadmittedByteCounts { known } else { try writer.unadmittedByteCounts() }
    session.unadmittedByteCounts = used
    let free = Limits.unadmittedByteCount - used.all
    return device.map { min(free, session.unadmittedByteLimit - used.devices[$0, default: 0]) } ?? free
  }

  /// Counts contents that were kept now.
  func useContentSpace(_ byteCount: Int, for device: DeviceID?) {
    session.unadmittedByteCounts?.all += byteCount
    if let device { session.unadmittedByteCounts?.devices[device, default: 0] += byteCount }
  }

  /// Lists the commits of a branch after which something was changed or removed that a machine of the vault had made,
  /// the earliest first, at most 256. Nothing else counts.
  func commitsBeforeLosses(in tip: ObjectID) throws -> [ObjectID] {
    let chain = try local.publishedMembership()
    return try repository.commitsBeforeChanges(in: tip) { file in
      try RemoteLayout.Place(file.path).map { try isGenuine(file.content, at: $0, in: chain) } ?? false
    }
  }

  /// Whether somebody who has a key of the vault has made a file for a place.
  func isGenuine(_ content: ObjectID, at place: RemoteLayout.Place, in chain: Membership) throws -> Bool {
    try UnsoundObject.ignoring {
      switch place {
      case .genesis:
        return try repository.blob(content, maximumByteCount: 4_096) == chain.genesis.bytes
      case .rootSlot:
        let bytes = try repository.blob(content, maximumByteCount: RootSlot.byteLimit)
        return (try? RootSlot.first(bytes: bytes, of: chain.genesis)) != nil
      case .laterRootSlot(let hash):
        guard let statement = chain.successions.first(where: { $0.statement.slot == hash })?.statement else {
          return false
        }
        let bytes = try repository.blob(content, maximumByteCount: RootSlot.byteLimit)
        return RootSlot(bytes: bytes, of: chain.genesis, namedBy: statement) != nil
      case .recordList(let hash):
        return try open(content, as: .recordList).flatMap { try? RecordList(bytes: $0) }?.hash == hash
      case .logEntry: return try open(content, as: .logEntry) != nil
      case .segment: return try open(content, as: .segment) != nil
      case .checkpoint: return try open(content, as: .checkpoint) != nil
      case .chunk: return try open(content, as: .snapshotChunk) != nil
      case .closed, .opened: return try open(content, as: .closing) != nil
      }
    } ?? false
  }

  /// Opens a file with the transport key of its generation; nil if this machine has none, or if the file does not open.
  private func open(_ content: ObjectID, as kind: Envelope.Content) throws -> [UInt8]? {
    let limit =
      switch kind {
      case .logEntry, .recordList: Limits.logEnvelopeByteCount
      case .closing: EpochImport.closingByteCount
      default: Limits.objectByteCount
      }
    let envelope = try Envelope(bytes: repository.blob(content, maximumByteCount: limit))
    guard envelope.content == kind else { return nil }
    // An entry of the log can bring its key with it.
    let key = device.transportKey(envelope.generation) ?? device.transportKey(introducedBy: envelope)
    return key.flatMap { try? envelope.open(with: $0.key) }
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Opens each segment of the store, one after the other.
  func forEachSegment(openedBy device: DeviceFile, _ body: (Segment) throws -> Void) throws {
    for (stream, number) in try allSegments() {
      guard let segment = try segment(stream, number)?.segment(openedBy: device) else { continue }
      try body(segment)
    }
  }

  /// Returns the hashes of the records in all segments of the store.
  func recordsInSegments(openedBy device: DeviceFile) throws -> Set<RecordHash> {
    var hashes: Set<RecordHash> = []
    try forEachSegment(openedBy: device) { hashes.formUnion($0.records.compactMap { try? Record(bytes: $0).hash }) }
    return hashes
  }
}
