internal import CofferCrypto
internal import CofferFormat
internal import CofferGit

/// The files of the membership log that a branch has, and of what belongs to the log.
struct MembershipFiles {
  var log: [UInt64: ObjectID] = [:]
  var recordLists: [Bytes32: ObjectID] = [:]
  var rootSlots: [Bytes32: ObjectID] = [:]
  /// What the branch had earlier, and does not have any more or has in another form: an attacker with push access can have
  /// changed it. Empty if the history was not read.
  private(set) var former: [(place: RemoteLayout.Place, content: ObjectID)] = []

  /// The entries of the log that the branch has and had.
  var everyLogEntry: Set<ObjectID> {
    Set(log.values).union(former.lazy.filter { if case .logEntry = $0.place { true } else { false } }.map(\.content))
  }

  init() {}

  /// Lists the files of a branch. What is something else, or cannot be read, is left out. With `readsHistory`, lists
  /// what the branch had earlier, too.
  init(at tip: ObjectID, of repository: Repository, readingHistory readsHistory: Bool = false) throws(GitError) {
    let changes = try repository.changes(from: FileTree(), to: tip) { path in
      ["log", "lists", RemoteLayout.laterRootSlots].contains(path) || path.hasPrefix("log/")
    }
    for change in changes where change.kind == .added && change.mode == .regular {
      guard change.folderOfUnusableName == nil, let blob = change.content else { continue }
      switch RemoteLayout.Place(change.path) {
      case .logEntry(let sequence): log[sequence] = blob
      case .recordList(let hash): recordLists[hash] = blob
      case .laterRootSlot(let hash): rootSlots[hash] = blob
      default: break
      }
    }
    guard readsHistory else { return }
    for (path, content) in try repository.formerFiles(of: tip, in: ["log", "lists", RemoteLayout.laterRootSlots]) {
      if let place = RemoteLayout.Place(path) { former.append((place, content)) }
    }
  }

  var isEmpty: Bool { log.isEmpty && recordLists.isEmpty && rootSlots.isEmpty && former.isEmpty }

  /// Adds the files of another branch. Where both have one, the own stays.
  mutating func merge(_ other: MembershipFiles) {
    log.merge(other.log) { own, _ in own }
    recordLists.merge(other.recordLists) { own, _ in own }
    rootSlots.merge(other.rootSlots) { own, _ in own }
    former += other.former
  }
}
