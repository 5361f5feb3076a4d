internal import CGit2
internal import CofferPlatform

/// Repositories in memory, between which objects are copied without a transfer: the hosts and caches of a simulation.
extension Repository {
  /// Creates an empty bare repository in memory. Its path names no folder.
  package static func inMemory() throws(GitError) -> Repository {
    try LibGit2.start()
    let context = "a repository in memory"
    let database = unsafe try LibGit2Object.create(context: context, git_odb_free) { unsafe git_odb_new(&$0) }
    var backend: OpaquePointer?
    try check(unsafe git_mempack_new(&backend), context: context)
    // The database owns the backend from here on, and the repository the database.
    try check(unsafe git_odb_add_backend(database.pointer, backend, 1), context: context)
    let object = unsafe try LibGit2Object.create(context: context, git_repository_free) {
      [database = database.pointer] in
      unsafe git_repository_wrap_odb(&$0, database)
    }
    let repository = Repository(
      path: "/dev/null", object, programs: TransportPrograms(), lock: nil, isNew: false,
      statistics: Statistics(looseObjectCount: 0, packCount: 0))
    repository.referencesInMemory = [:]
    return repository
  }

  /// Copies a commit with its history and everything in it from another repository. What is here already is here with
  /// all that it needs.
  package func copy(_ commit: ObjectID, from other: Repository) throws(GitError) {
    let copy = try ObjectCopy(from: other, to: self)
    var remaining = [commit]
    var commits: [ObjectID] = []
    while let id = remaining.popLast() {
      guard !copy.isDone(id) else { continue }
      remaining += try other.parents(of: id)
      try copy.copyTree(other.rootTree(of: id))
      commits.append(id)
    }
    for id in commits.reversed() { try copy.copyObject(id) }
    // A commit that was missing may be there now.
    rootFileHistories = [:]
  }

  /// Forgets which files were written for a push that has been accepted.
  package func finishPush() { forgetWrittenBlobs() }
}

/// Copies objects from one repository to another.
private struct ObjectCopy: ~Copyable {
  private let source: Repository
  private let sourceObjects: LibGit2Object
  private let targetObjects: LibGit2Object

  init(from source: Repository, to target: Repository) throws(GitError) {
    let found = try Self.database(of: source)
    let written = try Self.database(of: target)
    self.source = source
    sourceObjects = found
    targetObjects = written
  }

  private static func database(of repository: Repository) throws(GitError) -> LibGit2Object {
    unsafe try LibGit2Object.create(context: repository.path, git_odb_free) {
      [repository = repository.object.pointer] in
      unsafe git_repository_odb(&$0, repository)
    }
  }

  /// Whether the target has an object.
  func isDone(_ id: ObjectID) -> Bool {
    var raw = id.raw
    return unsafe git_odb_exists(targetObjects.pointer, &raw) == 1
  }

  /// Copies a directory after everything in it.
  func copyTree(_ id: ObjectID) throws(GitError) {
    guard !isDone(id) else { return }
    let tree = try source.tree(id)
    for entry in tree.entries {
      if entry.kind == .directory { try copyTree(entry.id) } else if !isDone(entry.id) { try copyObject(entry.id) }
    }
    try copyObject(id)
  }

  func copyObject(_ id: ObjectID) throws(GitError) {
    var raw = id.raw
    let found = unsafe try LibGit2Object.create(context: "object \(id)", git_odb_object_free) {
      [database = sourceObjects.pointer] in
      unsafe git_odb_read(&$0, database, &raw)
    }
    var written = git_oid()
    let result = unsafe git_odb_write(
      &written, targetObjects.pointer, git_odb_object_data(found.pointer), git_odb_object_size(found.pointer),
      git_odb_object_type(found.pointer))
    extendLifetime(found)
    try check(result, context: "object \(id)")
  }
}
