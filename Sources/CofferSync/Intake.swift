internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import Logging

/// Takes in what the remote holds: nothing counts before it is verified, and nothing that this machine holds is given up.
struct Intake {
  let local: LocalVault
  let repository: Repository
  let url: RemoteURL
  private let logger: Logger
  /// This machine's keys, with the transport keys that the remote brought.
  var device: DeviceFile
  var report: SyncReport
  /// True where this machine has synced with this remote before, so that what is missing there was lost.
  private(set) var knowsRemote = false
  /// False where the remote holds something new that could not be taken.
  var isComplete = true

  /// How many bytes of records may wait for an entry of the log.
  let pendingByteLimit: Int
  /// How many do; nil where nobody has asked.
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

  /// Takes in everything at `tip` that this machine does not have.
  ///
  /// - Returns: What the remote should hold and does not.
  mutating func take(_ tip: ObjectID?) throws -> Set<RemoteLayout.Place> {
    let missing = try takeObjects(tip)
    try judgePending()
    try checkSeen()
    return missing
  }

  private mutating func takeObjects(_ tip: ObjectID?) throws -> Set<RemoteLayout.Place> {
    let remembered = try local.store.read { try $0.setting(.remoteTip) }.flatMap { ObjectID(bytes: $0) }
    knowsRemote = remembered != nil
    guard let tip else {
      if remembered != nil { report.add("\(url) has lost the vault's branch; everything is pushed again") }
      return try everything()
    }
    let hasGenesis = try RemoteState.check(
      tip, is: local.membership().genesis, in: repository, url: url, isKnown: knowsRemote)
    if remembered == tip { return [] }

    let continues = try remembered.map { try isContinuation(tip, of: $0) } ?? false
    if remembered != nil && !continues {
      report.add(
        "\(url) was set back or rewritten: its history does not contain what this machine has seen there")
    }
    let changes = try repository.changes(from: continues ? remembered : nil, to: tip)
    logger.debug("comparing", metadata: ["changes": "\(changes.count)", "all": "\(!continues)"])
    var missing = try sort(changes)
    if !continues {
      let present = Set(changes.compactMap { $0.kind == .deleted ? nil : RemoteLayout.Place($0.path) })
      let lost = try everything(publishedOnly: true).subtracting(present)
      if !lost.isEmpty, remembered != nil {
        report.add("\(url) has lost \(lost.count) objects that it held; they are pushed again")
      }
      missing.formUnion(lost)
    }
    if !hasGenesis, missing.insert(.genesis).inserted { problem("no genesis any more") }
    missing.formUnion(try takeLog())
    missing.formUnion(try takeSegments())
    return missing
  }

  private func isContinuation(_ tip: ObjectID, of remembered: ObjectID) throws -> Bool {
    do throws(GitError) {
      return try repository.isAncestor(remembered, of: tip)
    } catch {
      // The cache was made anew, and what the remote sent does not contain it.
      if error.code == .notFound { return false }
      throw error
    }
  }

  /// Every object of the vault that this machine holds.
  private func everything(publishedOnly: Bool = false) throws -> Set<RemoteLayout.Place> {
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

  /// Puts each changed path where it belongs, and names those that belong nowhere. Returns what is gone.
  private mutating func sort(_ changes: [TreeChange]) throws -> Set<RemoteLayout.Place> {
    var gone: Set<RemoteLayout.Place> = []
    for change in changes {
      guard let place = RemoteLayout.Place(change.path) else {
        if change.kind != .deleted {
          problem("an unknown file \(change.path.sanitizedForTerminal()), which is ignored")
        }
        continue
      }
      guard change.kind != .deleted, change.mode == .regular, let blob = change.new else {
        let path = change.path.sanitizedForTerminal()
        problem("\(path) was \(change.kind == .deleted ? "deleted" : "replaced by something else")")
        gone.insert(place)
        continue
      }
      switch place {
      case .genesis: break  // compared byte for byte at the start
      case .rootSlot: if try !takeRootSlot(blob) { gone.insert(place) }
      case .logEntry(let sequence): logEntries[sequence] = blob
      case .segment(let stream, let number): segments[stream, default: [:]][number] = blob
      }
    }
    return gone
  }

  /// Adopts a newer root slot. Returns false where the remote's is altered or older and ours has to go back.
  private mutating func takeRootSlot(_ blob: ObjectID) throws -> Bool {
    let own = try local.store.read { try $0.rootSlot() }
    let genesis = try local.membership().genesis
    do {
      let bytes = try repository.blob(blob, maximumByteCount: 4096)
      if bytes == own { return true }
      let theirs = try RootSlot(bytes: bytes, of: genesis)
      // One that was damaged here is no reason to refuse root's.
      if let held = try? RootSlot(bytes: own, of: genesis), held.revision >= theirs.revision {
        problem("an older root slot")
        return false
      }
      try local.store.write { try $0.setRootSlot(bytes) }
      return true
    } catch {
      guard let fault = UnsoundObject(error) else { throw error }
      problem("a root slot that is not root's: \(fault.reason)")
      return false
    }
  }

  mutating func problem(_ what: String) {
    guard report.add("\(url) holds \(what)") else { return }
    logger.warning("the remote is not as it should be", metadata: ["what": "\(what)"])
  }
}
