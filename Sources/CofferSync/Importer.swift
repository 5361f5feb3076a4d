internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Logging

/// Imports the objects of the remote. Each object is verified first, and nothing that this machine has is discarded.
struct Importer {
  let local: LocalVault
  let repository: Repository
  let url: RemoteURL
  private let logger: Logger
  /// This machine's keys, including transport keys from imported log entries.
  var device: DeviceFile
  var report: SyncReport
  /// Whether this machine has synced with this remote before. An object that is missing there was lost then.
  private(set) var knowsRemote = false
  /// Whether every new object of the remote could be imported.
  var isComplete = true

  /// The maximum size in bytes of the records that wait for a log entry.
  let pendingByteLimit: Int
  /// Their current size in bytes; nil until it is needed.
  var pendingByteCount: Int?

  var segments: [StreamID: [UInt64: ObjectID]] = [:]
  var logEntries: [UInt64: ObjectID] = [:]

  init(
    local: LocalVault, repository: Repository, url: RemoteURL, device: DeviceFile, pendingByteLimit: Int,
    logger: Logger, report: SyncReport
  ) {
    self.pendingByteLimit = pendingByteLimit
    self.local = local
    self.repository = repository
    self.url = url
    self.device = device
    self.logger = logger
    self.report = report
  }

  /// Imports every object at `tip` that this machine does not have.
  ///
  /// - Parameter tip: The commit of the remote's branch; nil if the remote has no such branch.
  /// - Returns: The objects that the remote should have and does not.
  /// - Throws: ``VaultError``, and the errors of git and of the store that are not the remote's fault.
  mutating func run(at tip: ObjectID?) throws -> Set<RemoteLayout.Place> {
    let missing = try importObjects(tip)
    try revalidatePending()
    try checkSeenPositions()
    return missing
  }

  private mutating func importObjects(_ tip: ObjectID?) throws -> Set<RemoteLayout.Place> {
    let remembered = try local.store.read { try $0.setting(.remoteTip) }.flatMap { ObjectID(bytes: $0) }
    knowsRemote = remembered != nil
    guard let tip else {
      if remembered != nil { report.add("\(url) has lost the vault's branch; everything is pushed again") }
      return try allPlaces()
    }
    let hasGenesis = try RemoteState.check(
      tip, is: local.membership().genesis, in: repository, url: url, isKnown: knowsRemote)
    if remembered == tip {
      if !hasGenesis { reportProblem("no genesis any more") }
      return hasGenesis ? [] : [.genesis]
    }

    let continues = try remembered.map { try repository.isAncestor($0, of: tip) } ?? false
    if remembered != nil && !continues {
      report.add(
        "\(url) was set back or rewritten: its history does not contain what this machine has seen there")
    }
    let changes = try repository.changes(from: continues ? remembered : nil, to: tip)
    logger.debug("comparing", metadata: ["changes": "\(changes.count)", "all": "\(!continues)"])
    var missing = try sort(changes)
    if !continues {
      let present = Set(changes.compactMap { $0.kind == .deleted ? nil : RemoteLayout.Place($0.path) })
      let lost = try allPlaces(publishedOnly: true).subtracting(present)
      if !lost.isEmpty, remembered != nil {
        report.add("\(url) has lost \(lost.count) objects that it held; they are pushed again")
      }
      missing.formUnion(lost)
    }
    if !hasGenesis, missing.insert(.genesis).inserted { reportProblem("has lost the genesis") }
    missing.formUnion(try importLog())
    // Before more records are imported, so that copies with invalid signatures no longer count against the limit.
    try revalidatePending()
    missing.formUnion(try importSegments())
    return missing
  }

  /// Returns every object of the vault that this machine has.
  private func allPlaces(publishedOnly: Bool = false) throws -> Set<RemoteLayout.Place> {
    try local.store.read { reader in
      var places: Set<RemoteLayout.Place> = [.genesis, .rootSlot]
      for entry in try reader.logEntries(after: 0) where entry.isPublished || !publishedOnly {
        places.insert(.logEntry(entry.sequence))
      }
      for head in try reader.streamHeads() {
        try reader.forEachSegment(of: head.position.stream) { segment in
          if segment.isPublished || !publishedOnly {
            places.insert(.segment(segment.position.stream, segment.position.number))
          }
        }
      }
      return places
    }
  }

  /// Sorts the changed paths by kind of object, and reports unknown ones. Returns the objects that were removed.
  private mutating func sort(_ changes: [TreeChange]) throws -> Set<RemoteLayout.Place> {
    var removed: Set<RemoteLayout.Place> = []
    for change in changes {
      if case .unreadable(let reason) = change.kind {
        let name = change.path.isEmpty ? "a root folder" : "a folder \(change.path.sanitizedForTerminal())"
        reportProblem("\(name) that cannot be read and is ignored: \(reason)")
        isComplete = false
        continue
      }
      guard let place = RemoteLayout.Place(change.path) else {
        if change.kind != .deleted {
          reportProblem("has an unknown file \(change.path.sanitizedForTerminal()), which is ignored")
        }
        continue
      }
      guard change.kind != .deleted, change.mode == .regular, let blob = change.new else {
        let path = change.path.sanitizedForTerminal()
        reportProblem(change.kind == .deleted ? "has lost \(path)" : "has something else in place of \(path)")
        removed.insert(place)
        continue
      }
      switch place {
      case .genesis: break  // already compared byte for byte
      case .rootSlot: if try !importRootSlot(blob) { removed.insert(place) }
      case .logEntry(let sequence): logEntries[sequence] = blob
      case .segment(let stream, let number): segments[stream, default: [:]][number] = blob
      }
    }
    return removed
  }

  /// Imports a newer root slot. Returns false if the remote's slot is altered or older, so that ours must be pushed
  /// again.
  private mutating func importRootSlot(_ blob: ObjectID) throws -> Bool {
    let own = try local.store.read { try $0.rootSlot() }
    let genesis = try local.membership().genesis
    do {
      let bytes = try repository.blob(blob, maximumByteCount: 4096)
      if bytes == own { return true }
      let theirs = try RootSlot(bytes: bytes, of: genesis)
      // A slot that is damaged here must not prevent the import.
      if let held = try? RootSlot(bytes: own, of: genesis), held.revision >= theirs.revision {
        reportProblem("has an older root slot")
        return false
      }
      try local.store.write { try $0.setRootSlot(bytes) }
      return true
    } catch {
      guard let fault = UnsoundObject(error) else { throw error }
      reportProblem("has a root slot that is not valid: \(fault.reason)")
      return false
    }
  }

  /// Adds a problem to the report and to the log. `what` is a clause whose subject is the remote.
  mutating func reportProblem(_ what: String) {
    guard report.add("\(url) \(what)") else { return }
    logger.warning("unexpected content at the remote", metadata: ["what": "\(what)"])
  }
}
