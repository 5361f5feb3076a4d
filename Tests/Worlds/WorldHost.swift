import CofferExchange
import CofferFormat
import CofferGit
import CofferTestSupport

/// A git host: the objects that machines have pushed, and the branches that it shows.
final class WorldHost {
  typealias References = [String: ObjectID]

  let objects: Repository
  /// What honest machines are shown.
  private(set) var references: References
  /// What it was after each change.
  private(set) var past: [References]
  /// The writes that each commit is known to contain.
  private(set) var contents: [ObjectID: Set<Int>] = [:]
  /// The commits that it has made itself, with the commit of a machine before each.
  private(set) var alterations: [ObjectID: ObjectID] = [:]
  /// Whether it has ever shown a machine something else than the truth.
  var isHonest = true
  /// Whether it refuses to delete branches, as hosts can be set to.
  var keepsBranches = false

  /// Whether a reference is the branch of an epoch.
  static func isEpoch(_ name: String) -> Bool { name.hasPrefix("refs/heads/vault-") }

  /// Copies a host.
  init(copying other: WorldHost?) throws {
    objects = try .inMemory()
    references = other?.references ?? [:]
    past = [references]
    for tip in references.values { if let other { try objects.copy(tip, from: other.objects) } }
  }

  /// Sets a branch to a commit that was pushed to it, which contains the writes of the commit before and these.
  func move(_ name: String, to commit: ObjectID, adding writes: Set<Int>, in view: inout References?) {
    let before = (view ?? references)[name]
    contents[commit] = (before.flatMap { contents[$0] } ?? []).union(writes).union(contents[commit] ?? [])
    if view != nil { view?[name] = commit } else { set { $0[name] = commit } }
  }

  /// The writes that the closed branch before the one of an epoch contains, as an honest host knows it.
  func writesBefore(_ name: String) throws(GitError) -> Set<Int> {
    func epoch(_ name: String) -> UInt32? { EpochBranch(name: String(name.dropFirst("refs/heads/".count)))?.epoch }
    guard isHonest, let next = epoch(name) else { return [] }
    var writes: Set<Int> = []
    for (name, tip) in references {
      guard let epoch = epoch(name), epoch + 1 == next, try objects.hasEntry(at: "closed", in: tip) else { continue }
      writes.formUnion(contents[tip] ?? [])
    }
    return writes
  }

  func remove(_ names: [String], in view: inout References?) {
    guard !keepsBranches else { return }
    for name in names {
      if view != nil { view?[name] = nil } else { set { $0[name] = nil } }
    }
  }

  /// Goes on from the commit of a branch with changed files: one is removed, replaced by another, or copied. Returns
  /// what was done, in words.
  func alter(_ name: String, using generator: inout SeededGenerator) throws -> String? {
    guard let tip = references[name] else { return nil }
    let files = try objects.changes(from: FileTree(), to: tip).compactMap { change in
      change.content.map { (path: change.path, content: $0) }
    }
    guard !files.isEmpty else { return nil }
    let (file, other) = (generator.pick(files), generator.pick(files))
    let bytes = try objects.blob(other.content, maximumByteCount: 1 << 20)
    let changed: ObjectID
    let words: String
    var isNamed = true
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      words = "removes \(file.path)"
      // It is put back without a word: the machine that began the epoch may have been killed before it wrote this file.
      isNamed = file.path != "opened"
      changed = try objects.commit(adding: [], removing: [file.path], onto: tip)
    case 1:
      guard file.content != other.content else { return nil }
      words = "puts \(other.path) in the place of \(file.path)"
      changed = try objects.commit(adding: [(file.path, bytes)], onto: tip)
    default:
      var damaged = bytes
      if !damaged.isEmpty { damaged[Int.random(in: 0..<damaged.count, using: &generator)] ^= 1 }
      words = "changes a bit of \(other.path)"
      changed = try objects.commit(adding: [(other.path, damaged)], onto: tip)
    }
    alterations[changed] = alterations[tip] ?? (isNamed ? tip : nil)
    set { $0[name] = changed }
    return words
  }

  /// The files of a branch without the segments that came between two of its commits, in a commit without a past; nil
  /// if there were none.
  func commit(of name: String, withoutSegmentsFrom before: ObjectID, to after: ObjectID) throws -> ObjectID? {
    guard let tip = references[name] else { return nil }
    let known = Set(try objects.changes(from: FileTree(), to: before).map(\.path))
    let withheld = Set(try objects.changes(from: FileTree(), to: after).map(\.path)).subtracting(known)
      .filter { $0.hasPrefix("segments/") }
    guard !withheld.isEmpty else { return nil }
    let files = try objects.changes(from: FileTree(), to: tip).compactMap { change in
      withheld.contains(change.path) ? nil : change.content.map { (path: change.path, content: $0) }
    }
    return try objects.commit(of: files)
  }

  /// Adds what the branches of a view have and those of the machines lack: files, and whole branches. Returns the
  /// number of files.
  func plant(_ view: References) throws -> Int {
    var count = 0
    for (name, planted) in view.sorted(by: { $0.key < $1.key }) {
      guard let tip = references[name] else {
        set { $0[name] = planted }
        continue
      }
      guard let added = try add(filesOf: planted, to: tip) else { continue }
      count += added.count
      contents[added.commit] = contents[tip]
      set { $0[name] = added.commit }
    }
    return count
  }

  /// Returns a view with the segments that the branches of the machines have, and not the log that names their keys.
  func revealing(segmentsTo view: References) throws -> References {
    try view.reduce(into: view) { result, branch in
      guard let tip = references[branch.key] else { return }
      result[branch.key] = try add(filesOf: tip, to: branch.value, under: "segments/")?.commit ?? branch.value
    }
  }

  /// Adds to a commit the files of another one that it lacks; nil if there are none.
  private func add(
    filesOf other: ObjectID, to tip: ObjectID, under folder: String = ""
  ) throws -> (commit: ObjectID, count: Int)? {
    let known = Set(try objects.changes(from: FileTree(), to: tip).map(\.path))
    let files = try objects.changes(from: FileTree(), to: other).compactMap { change in
      known.contains(change.path) || !change.path.hasPrefix(folder)
        ? nil : change.content.map { (path: change.path, content: $0) }
    }
    guard !files.isEmpty else { return nil }
    let commit = try objects.commit(
      adding: files.map { ($0.path, try objects.blob($0.content, maximumByteCount: 1 << 20)) }, onto: tip)
    return (commit, files.count)
  }

  /// Counts as honest again, after all machines have met at a commit that contains these writes.
  func makePeace(with writes: Set<Int>, at tip: ObjectID) {
    contents[tip] = writes
    isHonest = true
  }

  /// Shows the machines something else from now on.
  func set(_ change: (inout References) -> Void) {
    change(&references)
    past.append(references)
  }
}
