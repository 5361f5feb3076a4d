internal import CofferCrypto
internal import CofferFormat
internal import CofferGit

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
