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
  /// The objects that the remote should have and does not, or has in another form: they are pushed again.
  var lost: Set<RemoteLayout.Place> = []
  /// The places of objects that cannot be used and may be valid: nothing is pushed over them.
  var unresolved: Set<RemoteLayout.Place> = []
  /// The paths of files and folders that are certainly not valid. The next commit removes them.
  var invalidPaths: Set<String> = []
  /// The paths of files and folders of an unknown kind. The next commit removes them, unless the log announces them.
  private var unknownPaths: Set<String> = []
  /// The paths of folders with names that no program can use, or out of order. The next commit writes them anew without
  /// such entries.
  private(set) var uncleanFolders: Set<String> = []
  /// Whether the remote has something that the next commit removes.
  var hasInvalidFiles: Bool { !invalidPaths.isEmpty || !uncleanFolders.isEmpty }

  /// The number of records that this sync has found refused.
  var newlyRefused: [UnadmittedRecords.Entry: Int] = [:]
  /// The number of refused records of each machine that this sync has not kept, because there was no space.
  var newlyDropped: [DeviceID: Int] = [:]

  var segments: [StreamID: [UInt64: ObjectID]] = [:]
  /// The files of segments that this sync has found refused for good.
  var refusedFiles: Set<ObjectID> = []
  var logEntries: [UInt64: ObjectID] = [:] { didSet { sealedLog = nil } }
  /// The succession that the remote's log withdraws and this machine's log contains. Nothing is pushed then.
  var withdrawnSuccession: Succession?
  /// `logEntries`, opened: they may introduce transport keys. Nil until one is missing.
  var sealedLog: SealedLog?
  /// The entries of other branches of the log; nil until one may be there, and after the log has changed.
  var rivals: RivalImport?
  var recordLists: [Bytes32: ObjectID] = [:]
  /// The slots of roots after the first.
  var laterRootSlots: [Bytes32: ObjectID] = [:]
  /// The lanes that were imported.
  var lanes: [LaneContents] = []
  /// The epoch that this machine follows.
  var branch = EpochBranch.first
  /// The checkpoint that begins it; nil for the first epoch, and if the store has lost it.
  var checkpoint: Checkpoint?
  var checkpoints: [UInt32: ObjectID] = [:]
  var chunks: [UInt32: ObjectID] = [:]
  var opened: ObjectID?
  var closed: ObjectID?
  /// The closing of this epoch at the remote; nil if it has none that counts.
  var closing: SealedClosing?

  /// The number of lost objects up to which each is named.
  private static let namedLossCount = 20

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
    let remembered = try local.store.read { try $0.setting(.remoteTip) }.flatMap { ObjectID(bytes: $0) }
    knowsRemote = remembered != nil
    guard let tip else {
      if remembered != nil {
        report.add("\(url) has lost the vault's branch \(branch.name); everything is pushed again")
      }
      lost = Set(try PublishedObjects.read(from: local).contents.keys)
      return
    }
    let continues = try remembered.map { try $0 == tip || repository.isAncestor($0, of: tip) } ?? false
    let hasGenesis = try RemoteState.check(
      tip, is: local.membership().genesis, in: repository, url: url, isKnown: knowsRemote, continues: continues)
    if remembered != nil, !continues {
      report.add(
        "\(url) was set back or rewritten: its history does not contain what this machine has seen there")
    }
    let published = try PublishedObjects.read(from: local)
    let changes = try repository.changes(from: published.tree, to: tip, descends: RemoteLayout.isFolder)
    logger.debug("comparing", metadata: ["changes": "\(changes.count)"])
    try sort(changes)
    try checkContents(of: published, besides: Set(changes.map(\.path)))
    if !hasGenesis, lost.insert(.genesis).inserted { reportProblem("has lost the genesis") }
    try importMembership()
    try importEpoch()
    // Before more records are imported, so that each of them is evaluated once.
    try revalidateRecords()
    try importSegments()
    // After the log: a critical entry of a newer program may have announced new kinds of files.
    if try !hasNewerEntries() { invalidPaths.formUnion(unknownPaths) }
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
    for place in try local.store.read({ try PublishedObjects.unidentified($0) }) where lost.insert(place).inserted {
      reportProblem("has lost \(place.path)")
    }
  }

  /// Sorts the paths at which the remote differs from what this machine has published by kind of object, and reports
  /// unknown and lost ones.
  private mutating func sort(_ changes: [TreeChange]) throws {
    var lostPaths: [String] = []
    for change in changes {
      let path = change.path.sanitizedForTerminal()
      if case .unreadable(let fault) = change.kind {
        let name = change.path.isEmpty ? "a root folder" : "a folder \(path)"
        reportProblem("has \(name) that cannot be read and is ignored: \(fault.message)")
        // The root is replaced as a whole by the next commit.
        if !change.path.isEmpty, fault.code != .unreadable { invalidPaths.insert(change.path) }
        continue
      }
      if change.kind == .disordered {
        reportProblem("has a folder \(path.isEmpty ? "/" : path) with entries that are repeated or out of order")
        uncleanFolders.insert(change.path)
        continue
      }
      guard change.folderOfUnusableName == nil, let place = RemoteLayout.Place(change.path) else {
        guard change.kind != .deleted else { continue }
        reportUnsound("has an unknown file \(path), which is ignored")
        if let folder = change.folderOfUnusableName {
          uncleanFolders.insert(folder)
        } else {
          unknownPaths.insert(change.path)
        }
        continue
      }
      if change.kind == .deleted {
        lost.insert(place)
        // The machine that began the epoch may have been interrupted before it wrote this file.
        if place == .opened || session.otherLogPlaces.contains(place) { continue }
        lostPaths.append(path)
        continue
      }
      guard change.mode == .regular, let blob = change.content else {
        reportProblem("has something else in place of \(path)")
        lost.insert(place)
        invalidPaths.insert(change.path)
        continue
      }
      switch place {
      case .genesis: break  // already compared byte for byte
      case .rootSlot: if try !importRootSlot(blob) { lost.insert(place) }
      case .logEntry(let sequence): logEntries[sequence] = blob
      case .recordList(let hash): recordLists[hash] = blob
      case .laterRootSlot(let hash): laterRootSlots[hash] = blob
      case .segment(let stream, let number): segments[stream, default: [:]][number] = blob
      case .checkpoint(let epoch): checkpoints[epoch] = blob
      case .chunk(let number): chunks[number] = blob
      case .opened: opened = blob
      case .closed: closed = blob
      }
    }
    guard knowsRemote else { return }
    for path in lostPaths.prefix(Self.namedLossCount) { reportProblem("has lost \(path)") }
    if lostPaths.count > Self.namedLossCount {
      reportProblem("has lost \(lostPaths.count) objects that it had")
    }
  }

  /// Finds files that the remote names and whose content it does not send: only a cache that has just been fetched shows
  /// that. Files that have changed are imported anyway: the branch of another epoch has some that are sealed again.
  private mutating func checkContents(of published: PublishedObjects, besides changed: Set<String>) throws {
    guard repository.isNew else { return }
    for (place, id) in published.contents where !lost.contains(place) && !changed.contains(place.path) {
      guard try !repository.isBlob(id) else { continue }
      lost.insert(place)
      reportProblem("has lost the content of \(place.path)")
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
      if isHeld { lost.insert(place) } else { try setAside(place, fault) }
    }
  }

  /// Notes an object that cannot be used. It is removed with the next commit if it is certainly not valid.
  mutating func setAside(_ place: RemoteLayout.Place, _ fault: UnsoundObject) throws {
    if try isFinal(fault) { invalidPaths.insert(place.path) } else { unresolved.insert(place) }
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
    let hasUnresolved = unresolved.contains { if case .logEntry = $0 { true } else { false } }
    guard try !hasUnresolved && !hasNewerEntries() else { return false }
    return try local.store.read { reader in
      let chain = try local.branches(in: reader).chain
      return try chain.incompleteBatch == nil && chain.missingRecordLists.isEmpty
        && LogClaims.load(from: reader).open.isEmpty
    }
  }
}
