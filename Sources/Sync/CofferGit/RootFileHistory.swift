/// What the commits of a repository have, and had before, in files at the root, read once for all branches that share a
/// history.
///
/// Nothing is stored for a commit that changes none of the files but a number, so a branch costs what is new on it.
package final class RootFileHistory {
  /// A content of a file, and the versions before it. Several commits can have the same one.
  private struct Version {
    /// Nil if the histories of several parents join, and the commit has no file.
    let content: ObjectID?
    let older: [Int]
  }

  private struct Step {
    let commit: ObjectID
    let parents: [ObjectID]
    var next = 0
  }

  private let names: [String]
  private var versions: [Version] = []
  /// The latest version of each name in a commit's history; nil for a name that it never had.
  private var latest: [ObjectID: [Int?]] = [:]
  private var files: [ObjectID: [UInt8]?] = [:]
  private var remainingByteCount = 16 << 20

  init(of names: [String]) { self.names = names }

  /// Returns the contents of a file that a commit and those before it have, the latest first.
  func contents(of name: String, in commit: ObjectID, _ repository: Repository) throws(GitError) -> [ObjectID] {
    guard let position = names.firstIndex(of: name) else { return [] }
    try read(commit, repository)
    guard let first = latest[commit]?[position] else { return [] }
    var found: [ObjectID] = []
    var known: Set<ObjectID> = []
    var seen: Set = [first]
    var pending = [first]
    var next = 0
    while next < pending.count {
      let version = versions[pending[next]]
      next += 1
      if let content = version.content, known.insert(content).inserted { found.append(content) }
      for older in version.older where seen.insert(older).inserted { pending.append(older) }
    }
    return found
  }

  /// Reads a file of at most `maximumByteCount` bytes; nil for another one, and for one at fault. Small numbers of
  /// files are kept in memory.
  func file(_ id: ObjectID, maximumByteCount: Int, _ repository: Repository) throws(GitError) -> [UInt8]? {
    if let known = files[id] { return known.flatMap { $0.count <= maximumByteCount ? $0 : nil } }
    let bytes = try GitError.ignoringFaults { () throws(GitError) in
      try repository.blob(id, maximumByteCount: maximumByteCount)
    }
    if let bytes, bytes.count <= remainingByteCount {
      remainingByteCount -= bytes.count + 128
      files[id] = bytes
    }
    return bytes
  }

  /// Reads a history, the earliest commits first.
  private func read(_ tip: ObjectID, _ repository: Repository) throws(GitError) {
    guard latest[tip] == nil else { return }
    var open: Set = [tip]
    var steps = [Step(commit: tip, parents: try repository.soundParents(of: tip))]
    while var step = steps.popLast() {
      var parent: ObjectID?
      while parent == nil, step.next < step.parents.count, latest.count + steps.count < Repository.maximumCommitCount {
        let candidate = step.parents[step.next]
        step.next += 1
        if latest[candidate] == nil, open.insert(candidate).inserted { parent = candidate }
      }
      if let parent {
        steps.append(step)
        steps.append(Step(commit: parent, parents: try repository.soundParents(of: parent)))
      } else {
        latest[step.commit] = try versions(of: step, repository)
      }
    }
  }

  private func versions(of step: Step, _ repository: Repository) throws(GitError) -> [Int?] {
    let root = try repository.soundRootTree(of: step.commit)
    var contents: [ObjectID?] = names.map { _ in nil }
    if let root, let tree = try repository.soundTree(root) {
      for (position, name) in names.enumerated() {
        guard let entry = tree[name], case .file(let mode) = entry.kind, mode != .irregular else { continue }
        contents[position] = entry.id
      }
    }
    var found: [Int?] = []
    for (position, content) in contents.enumerated() {
      var older: [Int] = []
      for parent in step.parents {
        if let version = latest[parent]?[position], !older.contains(version) { older.append(version) }
      }
      if older.count == 1, content == nil || versions[older[0]].content == content {
        found.append(older[0])
      } else if content == nil, older.isEmpty {
        found.append(nil)
      } else {
        versions.append(Version(content: content, older: older))
        found.append(versions.count - 1)
      }
    }
    return found
  }
}

extension Repository {
  /// Returns the contents that a commit and those before it have at a path at the root, the latest first. `names` are
  /// all files at the root that will be asked for: they are read together.
  package func contents(of name: String, among names: [String], in commit: ObjectID) throws(GitError) -> [ObjectID] {
    try history(of: names).contents(of: name, in: commit, self)
  }

  /// Reads a file whose content ``contents(of:among:in:)`` has named; nil for a larger one, and for one at fault.
  package func file(_ content: ObjectID, among names: [String], maximumByteCount: Int) throws(GitError) -> [UInt8]? {
    try history(of: names).file(content, maximumByteCount: maximumByteCount, self)
  }

  private func history(of names: [String]) -> RootFileHistory {
    if let history = rootFileHistories[names] { return history }
    let history = RootFileHistory(of: names)
    rootFileHistories[names] = history
    return history
  }
}
