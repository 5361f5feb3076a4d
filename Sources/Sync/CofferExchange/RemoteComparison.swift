internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Logging

/// Compares the files of a branch with the objects that this machine has published. It finds what is to be imported,
/// and what the remote has lost.
struct RemoteComparison: SyncPart {
  let session: SyncSession
  let branch: EpochBranch
  /// Whether this machine has synced with this remote before. An object that is missing there was lost then.
  private(set) var knowsRemote = false
  /// Whether there is a branch that can be read.
  private(set) var isReadable = false
  private(set) var repairs = RemoteRepairs()
  /// The slot of the first root, if the remote has another one.
  private(set) var rootSlot: ObjectID?
  private(set) var files = RemoteFiles()
  private(set) var segments: [StreamID: [UInt64: ObjectID]] = [:]
  private(set) var membershipFiles = MembershipFiles()

  /// The number of lost objects up to which each is named.
  private static let namedLossCount = 20

  init(session: SyncSession, branch: EpochBranch) {
    self.session = session
    self.branch = branch
  }

  /// Compares the commit `tip`; nil if the remote has no such branch. Throws `integrity` for the branch of another
  /// vault.
  mutating func run(at tip: ObjectID?) throws {
    let remembered = try local.store.read { try $0.setting(.remoteTip) }.flatMap { ObjectID(bytes: $0) }
    knowsRemote = remembered != nil
    guard let tip else {
      if knowsRemote {
        report.add(.missing, "\(url) has lost the vault's branch \(branch.name); everything is pushed again")
      }
      repairs.lost = Set(try PublishedObjects.read(from: local).contents.keys)
      return
    }
    if let fault = try repository.fault(of: tip) { return try replace(fault) }
    isReadable = true
    let continues = try remembered.map { try $0 == tip || repository.isAncestor($0, of: tip) } ?? false
    let hasGenesis = try RemoteState.check(
      tip, is: local.membership().genesis, in: repository, url: url, isKnown: knowsRemote, continues: continues)
    if knowsRemote, !continues {
      report.add(
        .contradiction,
        try repository.hidesHistory(tip)
          ? "\(url) has a commit that cannot be read, which hides whether its history contains what this machine has seen there"
          : "\(url) was set back or rewritten: its history does not contain what this machine has seen there")
    }
    let published = try PublishedObjects.read(from: local)
    let changes = try repository.changes(from: published.tree, to: tip, descends: RemoteLayout.isFolder)
    logger.debug("comparing", metadata: ["changes": "\(changes.count)"])
    sort(changes)
    try checkContents(of: published, besides: Set(changes.map(\.path)))
    if !hasGenesis, repairs.lost.insert(.genesis).inserted { reportProblem(.missing, "has lost the genesis") }
  }

  /// An attacker with push access can push a commit that nobody can read. The next one follows it, with everything that
  /// this machine has.
  private mutating func replace(_ fault: GitError) throws {
    guard knowsRemote else {
      throw VaultError(
        .integrity, "\(url) has a commit on the branch \(branch.name) that cannot be read: \(fault.message)",
        recoverySuggestion:
          "sync a machine that has synced with this remote before, which repairs the branch, and try again")
    }
    reportProblem(
      .unusable,
      "has a commit that cannot be read, and with it nothing of the branch \(branch.name): \(fault.message). Everything is pushed again"
    )
    repairs.lost = Set(try PublishedObjects.read(from: local).contents.keys)
    // The branch can have had the next entry of the log.
    repairs.unresolved.insert(.logEntry(try local.store.read { try $0.publishedLogLength() } + 1))
  }

  /// Sorts the changes by kind of object, and reports unknown and lost ones.
  private mutating func sort(_ changes: [TreeChange]) {
    var lostPaths: [String] = []
    for change in changes {
      guard let place = usablePlace(of: change) else { continue }
      guard change.kind != .deleted else {
        repairs.lost.insert(place)
        // The machine that began the epoch may have been interrupted before it wrote this file.
        guard place != .opened, !session.otherLogPlaces.contains(place) else { continue }
        lostPaths.append(change.path.sanitizedForTerminal())
        continue
      }
      guard change.mode == .regular, let blob = change.content else {
        reportProblem(.unusable, "has something else in place of \(change.path.sanitizedForTerminal())")
        repairs.lost.insert(place)
        repairs.invalidPaths.insert(change.path)
        continue
      }
      add(blob, at: place)
    }
    guard knowsRemote else { return }
    for path in lostPaths.prefix(Self.namedLossCount) { reportProblem(.missing, "has lost \(path)") }
    if lostPaths.count > Self.namedLossCount {
      reportProblem(.missing, "has lost \(lostPaths.count) objects that it had")
    }
  }

  /// The place at which the remote differs; nil if it is none of the vault, which is reported.
  private mutating func usablePlace(of change: TreeChange) -> RemoteLayout.Place? {
    let path = change.path.sanitizedForTerminal()
    if case .unreadable(let fault) = change.kind {
      let name = change.path.isEmpty ? "a root folder" : "a folder \(path)"
      reportProblem(.unusable, "has \(name) that cannot be read and is ignored: \(fault.message)")
      // The root is replaced as a whole by the next commit.
      if !change.path.isEmpty, fault.code != .unreadable { repairs.invalidPaths.insert(change.path) }
      return nil
    }
    if change.kind == .disordered {
      reportProblem(
        .unusable, "has a folder \(path.isEmpty ? "/" : path) with entries that are repeated or out of order")
      repairs.uncleanFolders.insert(change.path)
      return nil
    }
    if change.folderOfUnusableName == nil, let place = RemoteLayout.Place(change.path) { return place }
    guard change.kind != .deleted else { return nil }
    reportUnsound("has an unknown file \(path), which is ignored")
    if let folder = change.folderOfUnusableName {
      repairs.uncleanFolders.insert(folder)
    } else {
      repairs.unknownPaths.insert(change.path)
    }
    return nil
  }

  private mutating func add(_ blob: ObjectID, at place: RemoteLayout.Place) {
    switch place {
    case .genesis: break  // already compared byte for byte
    case .rootSlot: rootSlot = blob
    case .logEntry(let sequence): membershipFiles.log[sequence] = blob
    case .recordList(let hash): membershipFiles.recordLists[hash] = blob
    case .laterRootSlot(let hash): membershipFiles.rootSlots[hash] = blob
    case .segment(let stream, let number): segments[stream, default: [:]][number] = blob
    case .checkpoint(let epoch): files.checkpoints[epoch] = blob
    case .chunk(let number): files.chunks[number] = blob
    case .opened: files.opened = blob
    case .closed: files.closed = blob
    }
  }

  /// Finds files that the remote names and whose content it does not send: only a cache that has just been fetched
  /// shows that. Files that have changed are imported anyway: the branch of another epoch has some that are sealed
  /// again.
  private mutating func checkContents(of published: PublishedObjects, besides changed: Set<String>) throws {
    guard repository.isNew else { return }
    for (place, id) in published.contents where !repairs.lost.contains(place) && !changed.contains(place.path) {
      guard try !repository.isBlob(id) else { continue }
      repairs.lost.insert(place)
      reportProblem(.missing, "has lost the content of \(place.path)")
    }
  }
}

/// What the next commit changes at the remote, besides what this machine adds.
struct RemoteRepairs {
  /// The objects that the remote should have and does not, or has in another form: they are pushed again.
  var lost: Set<RemoteLayout.Place> = []
  /// The places of objects that cannot be used and may be valid: nothing is pushed over them.
  var unresolved: Set<RemoteLayout.Place> = []
  /// The paths of files and folders that are certainly not valid. They are removed.
  var invalidPaths: Set<String> = []
  /// The paths of files and folders of an unknown kind. They are removed, unless the log announces them.
  var unknownPaths: Set<String> = []
  /// The paths of folders with names that no program can use, or out of order. They are written anew without such
  /// entries.
  var uncleanFolders: Set<String> = []

  mutating func formUnion(_ other: RemoteRepairs) {
    lost.formUnion(other.lost)
    unresolved.formUnion(other.unresolved)
    invalidPaths.formUnion(other.invalidPaths)
    unknownPaths.formUnion(other.unknownPaths)
    uncleanFolders.formUnion(other.uncleanFolders)
  }

  var removesFiles: Bool { !invalidPaths.isEmpty || !uncleanFolders.isEmpty }
}

/// The files with which epochs begin and end that this machine has not imported.
struct RemoteFiles {
  var checkpoints: [UInt32: ObjectID] = [:]
  var chunks: [UInt32: ObjectID] = [:]
  var opened: ObjectID?
  var closed: ObjectID?
}

/// The files of the membership log that branches have, and of what belongs to the log.
struct MembershipFiles {
  var log: [UInt64: ObjectID] = [:]
  var recordLists: [Bytes32: ObjectID] = [:]
  var rootSlots: [Bytes32: ObjectID] = [:]
  /// The contents of the log that the branches have, and had earlier and do not have any more or have in another form:
  /// an attacker with push access can have changed it. Those of the latest commits first. Empty if no history was read.
  private(set) var everyLogEntry: [ObjectID] = []
  /// What the branches have and had at the places of record lists and of slots of later roots, the latest first. Empty
  /// if no history was read.
  private(set) var versions: [RemoteLayout.Place: [ObjectID]] = [:]

  private static let folders: Set = ["log", "lists", RemoteLayout.laterRootSlots]

  /// The places of the files that the branches have.
  var places: [RemoteLayout.Place] {
    log.keys.map { .logEntry($0) } + recordLists.keys.map { .recordList($0) }
      + rootSlots.keys.map { .laterRootSlot($0) }
  }

  init() {}

  /// Lists the files of a branch. What is something else, or cannot be read, is left out.
  init(at tip: ObjectID, of repository: Repository) throws(GitError) {
    let changes = try repository.changes(from: FileTree(), to: tip) { path in
      Self.folders.contains(path) || path.hasPrefix("log/")
    }
    for change in changes where change.kind == .added && change.mode == .regular {
      guard change.folderOfUnusableName == nil, let blob = change.content else { continue }
      if let place = RemoteLayout.Place(change.path) { add(blob, at: place) }
    }
  }

  /// Lists the files of branches, those of the first branch before those of the others, and what they have had. What
  /// the branches share, and their histories, is read once.
  init(ofHistories tips: [ObjectID], of repository: Repository) throws(GitError) {
    let files = try repository.everyFile(
      of: tips, in: Self.folders, descends: RemoteLayout.isFolder, isWanted: { RemoteLayout.Place($0) != nil })
    var known: Set<ObjectID> = []
    for file in files {
      guard let place = RemoteLayout.Place(file.path) else { continue }
      if !file.isFormer { add(file.content, at: place) }
      switch place {
      case .logEntry: if known.insert(file.content).inserted { everyLogEntry.append(file.content) }
      case .recordList, .laterRootSlot: versions[place, default: []].append(file.content)
      default: break
      }
    }
  }

  /// Adds a file, unless there is another one at its place.
  private mutating func add(_ blob: ObjectID, at place: RemoteLayout.Place) {
    switch place {
    case .logEntry(let sequence): log[sequence] = log[sequence] ?? blob
    case .recordList(let hash): recordLists[hash] = recordLists[hash] ?? blob
    case .laterRootSlot(let hash): rootSlots[hash] = rootSlots[hash] ?? blob
    default: break
    }
  }
}
