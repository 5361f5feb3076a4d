internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Logging

/// Imports the objects of the remote. Each object is verified first, and nothing that this machine has is discarded.
///
/// Every sync compares all files of the remote with the objects that this machine has published. So an object that could
/// not be imported is looked at again at each sync, whatever the host has shown since.
struct Importer: SyncPart {
  let session: SyncSession
  /// Whether this machine has synced with this remote before. An object that is missing there was lost then.
  private(set) var knowsRemote = false
  /// What the next commit changes at the remote.
  var repairs = RemoteRepairs()
  /// The files of the branch that this machine does not have yet, without those of the log.
  var files = RemoteFiles()
  /// The files of the log that this machine does not have yet.
  var membershipFiles = MembershipFiles() { didSet { sealedLog = nil } }
  /// The entries among them, opened: they may introduce transport keys. Nil until one is missing.
  var sealedLog: SealedLog?
  /// The entries of other branches of the log; nil until one may be there, and after the log has changed.
  var rivals: RivalImport?
  /// The succession that the remote's log withdraws and this machine's log contains. Nothing is pushed then.
  var withdrawnSuccession: Succession?
  /// The records and files that this import has found refused.
  var refusals = FoundRefusals()
  /// The lanes that were imported.
  var lanes: [LaneContents] = []
  /// The epoch that this machine follows.
  var branch = EpochBranch.first
  /// The checkpoint that begins it; nil for the first epoch, and if the store has lost it.
  var checkpoint: Checkpoint?
  /// The closing of this epoch at the remote; nil if it has none that counts.
  var closing: SealedClosing?

  init(_ session: SyncSession) { self.session = session }

  /// Imports every object at `tip` that this machine does not have, and compares those that it has. `tip` is nil if the
  /// remote has no such branch. Lanes are not read if the epoch has ended.
  mutating func run(at tip: ObjectID?, lanes: [Lane: ObjectID] = [:]) throws {
    steps.report?(SyncStep(.importing))
    try adoptTransportKeys()
    try checkTransportKeys()
    try checkNotRevoked()
    try importObjects(tip)
    // If the epoch has ended, lanes may follow what only the branch of the next one has, on which they are imported.
    if tip != nil, closing == nil { try importLanes(lanes) }
    try revalidateRecords()
    try checkSeenPositions()
    try checkLogClaims()
    reportRefusedRecords()
    try holdBackForkedLog()
  }

  /// Imports what a branch had before a file was changed or removed. What is wrong with it is not named. The commit of
  /// another vault is ignored.
  mutating func importHistory(at commit: ObjectID) throws {
    let genesis = try local.membership().genesis
    guard try repository.soundBlob(at: RemoteLayout.Place.genesis.path, in: commit) == genesis.bytes else { return }
    let earlier = report
    defer { report.forgetProblems(since: earlier) }
    do {
      try run(at: commit)
    } catch let error as VaultError where error.code == .integrity {
      // An attacker with push access has made this commit, or it is the fault of the latest one, too.
      return
    }
    try local.store.write { try $0.setSetting(.remoteTip, commit.bytes) }
  }

  /// Says how many of the new segments are imported.
  func report(imported count: Int, of total: Int) { steps.report?(SyncStep(.importing, done: count, total: total)) }

  /// Checks this machine's transport keys: with an altered one, every object of the others would look forged.
  private func checkTransportKeys() throws(VaultError) {
    let commitments = try local.membership().transportCommitments
    for key in device.transportKeys {
      // A key that was stored just before its log entry has no commitment yet.
      guard commitments.indices.contains(Int(key.generation) - 1) else { continue }
      guard commitments[Int(key.generation) - 1] == key.commitment else {
        let place = local.keysInMemory == nil ? local.folder.deviceFile.path : "the credential"
        throw VaultError(
          .integrity, "the transport key in \(place) is not the one that the log names",
          recoverySuggestion: "the file is damaged: restore it from a backup, or clone the vault again")
      }
    }
  }

  private mutating func importObjects(_ tip: ObjectID?) throws {
    try loadEpoch()
    var comparison = RemoteComparison(session: session, branch: branch)
    try comparison.run(at: tip)
    (knowsRemote, repairs) = (comparison.knowsRemote, comparison.repairs)
    (files, membershipFiles) = (comparison.files, comparison.membershipFiles)
    guard tip != nil else { return }
    if let blob = files.rootSlot, try !importRootSlot(blob) { repairs.lost.insert(.rootSlot) }
    try importMembership()
    try importEpoch()
    // Before more records are imported, so that each of them is evaluated once.
    try revalidateRecords()
    try importSegments()
    // After the log: a critical entry of a newer program may have announced new kinds of files.
    if try !hasNewerEntries() { repairs.invalidPaths.formUnion(repairs.unknownPaths) }
    try findGaps()
  }

  /// Imports the log and what belongs to it.
  mutating func importMembership() throws {
    try importLog()
    try importRecordLists()
    try importLaterRootSlots()
    try adoptTransportKeys()
    try checkNotRevoked()
  }

  /// Whether the log has an entry of a newer program that this one does not understand.
  func hasNewerEntries() throws -> Bool {
    try local.store.read { try local.branches(in: $0).chain.firstUnknownCritical != nil }
  }

  /// Finds objects that were published, because a later one of the same chain is at the remote, and are not there: the
  /// machine was interrupted between push and acknowledgement, and the host has dropped them since.
  private mutating func findGaps() throws {
    for place in try local.store.read({ try PublishedObjects.unidentified($0) })
    where repairs.lost.insert(place).inserted {
      reportProblem(.missing, "has lost \(place.path)")
    }
  }

  /// Imports a file with `body`. If it cannot be used, names it by `words`, and decides what becomes of it: this machine's
  /// copy replaces it if there is one.
  mutating func importFile(
    _ place: RemoteLayout.Place, _ words: String, isHeld: Bool, _ body: (inout Importer) throws -> Void
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

  /// Whether nothing suggests that the log has entries, or lists of records, which this machine does not have or does not
  /// understand.
  func isLogComplete() throws -> Bool {
    let hasUnresolved = repairs.unresolved.contains { if case .logEntry = $0 { true } else { false } }
    guard try !hasUnresolved && !hasNewerEntries() else { return false }
    return try local.store.read { reader in
      let chain = try local.branches(in: reader).chain
      return try chain.incompleteBatch == nil && chain.missingRecordLists.isEmpty
        && LogClaims.load(from: reader).open.isEmpty
    }
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
extension Importer {
  /// Lists the commits of a branch after which something was changed or removed that a machine of the vault had made,
  /// the earliest first, at most 256. Nothing else counts.
  func commitsBeforeLosses(in tip: ObjectID) throws -> [ObjectID] {
    let chain = try local.settledMembership()
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
      case .closing: Self.closingByteCount
      default: Limits.objectByteCount
      }
    let envelope = try Envelope(bytes: repository.blob(content, maximumByteCount: limit))
    guard envelope.content == kind else { return nil }
    // An entry of the log can bring its key with it.
    let key =
      device.transportKey(envelope.generation)
      ?? TransportKey(generation: envelope.generation, boxes: envelope.boxes, openedBy: device.keys.agreement)
    return key.flatMap { try? envelope.open(with: $0.key) }
  }
}
