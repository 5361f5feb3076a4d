internal import CGit2
internal import CofferPlatform
internal import CofferSystem

/// A bare repository that serves as a cache of a remote: it can be deleted at any time and fetched again.
///
/// Its functions block: call them from one thread at a time, and not from a task's. Keep one or two references in it:
/// with many, the negotiation of libgit2 requests far more objects than needed. After an error with the code
/// `.corrupt`, release the object, delete the folder and open it again.
package final class Repository {
  package let path: String
  let object: LibGit2Object
  let programs: TransportPrograms
  /// Nil for a repository that is only read.
  private let lock: RepositoryLock?
  /// Whether ``open(at:creatingIfNeeded:programs:)`` created the repository. Every object then comes from the remote or
  /// from this process, so an object that cannot be read is the remote's fault: the error is `.unreadable`, and
  /// fetching anew would not help. In an older repository it is `.corrupt`.
  package let isNew: Bool
  /// The number of files when the repository was opened.
  package let statistics: Statistics
  /// The files that `commit` has written since the last accepted push, and their size.
  private(set) var writtenBlobs: Set<ObjectID> = []
  private(set) var writtenByteCount = 0
  /// The references of a repository in memory; nil if they are files.
  var referencesInMemory: [String: ObjectID]?
  /// What was read of the histories of files at the root, since the last transfer.
  var rootFileHistories: [[String]: RootFileHistory] = [:]

  init(
    path: String, _ object: consuming LibGit2Object, programs: TransportPrograms, lock: consuming RepositoryLock?,
    isNew: Bool, statistics: Statistics
  ) {
    self.path = path
    self.isNew = isNew
    self.statistics = statistics
    self.object = object
    self.programs = programs
    self.lock = lock
  }

  /// Opens a bare repository for as long as the object exists, and removes files that a killed process left in it. The
  /// folder must belong to the user.
  ///
  /// With `creatingIfNeeded`, it is created, with mode 0700, if the folder is missing or empty, or if an earlier
  /// creation was interrupted. Throws `locked` if another `Repository`, in this process or another, has it open;
  /// `notFound`; `rejected` if the folder holds other files; `corrupt`; `permissionDenied` if it belongs to another
  /// user.
  package static func open(
    at path: String, creatingIfNeeded: Bool, programs: TransportPrograms = .fromEnvironment
  ) throws(GitError) -> Repository {
    try LibGit2.start()
    if creatingIfNeeded {
      do {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw GitError(.io, "cannot create the folder: \(error)", context: path)
      }
    } else if !FileManager.default.fileExists(atPath: path) {
      throw GitError(.notFound, "there is no repository", context: path)
    }
    let lock = try RepositoryLock.acquire(folder: path)
    let isNew = try !isComplete(path)
    if isNew {
      guard creatingIfNeeded else { throw GitError(.notFound, "there is no repository", context: path) }
      try create(at: path)
    }
    let statistics = try RepositoryFolder(path: path).removeLeftovers()
    let object = unsafe try LibGit2Object.create(context: path, git_repository_free) {
      unsafe git_repository_open_bare(&$0, path)
    }
    return Repository(path: path, object, programs: programs, lock: lock, isNew: isNew, statistics: statistics)
  }

  func recordWrittenBlob(_ id: ObjectID, byteCount: Int) {
    if writtenBlobs.insert(id).inserted { writtenByteCount += byteCount }
  }

  func forgetWrittenBlobs() { (writtenBlobs, writtenByteCount) = ([], 0) }

  /// Whether a folder holds a whole repository: false if it is empty, or holds a part of one. Throws `.rejected` if it
  /// holds other files.
  private static func isComplete(_ path: String) throws(GitError) -> Bool {
    let parts = ["HEAD", "config", "objects", "refs"]
    let missing = parts.filter { !FileManager.default.fileExists(atPath: path + "/" + $0) }
    guard !missing.isEmpty else { return true }
    let known: Set = [
      RepositoryLock.fileName, "HEAD", "config", "description", "hooks", "info", "objects", "refs", "packed-refs",
    ]
    do {
      let foreign = try FileManager.default.contentsOfDirectory(atPath: path).filter {
        !known.contains($0) && !$0.hasSuffix(".lock") && !RepositoryFolder.isOfLibGit2($0)
      }
      guard foreign.isEmpty else {
        throw GitError(.rejected, "the folder holds other files: choose an empty one", context: path)
      }
    } catch let error as GitError {
      throw error
    } catch {
      throw GitError(.io, "cannot list the folder: \(error)", context: path)
    }
    return false
  }

  private static func create(at path: String) throws(GitError) {
    var options = unsafe git_repository_init_options()
    try check(
      unsafe git_repository_init_options_init(&options, UInt32(GIT_REPOSITORY_INIT_OPTIONS_VERSION)), context: path)
    unsafe options.flags = GIT_REPOSITORY_INIT_BARE.rawValue
    _ = unsafe try LibGit2Object.create(context: path, git_repository_free) {
      unsafe git_repository_init_ext(&$0, path, &options)
    }
  }

  /// The size of the largest objects that may become smaller: of most directories.
  static let comparedByteCount = 16 << 10
}

extension Repository {
  /// Opens a repository that somebody else keeps, for reading only: nothing is written to it, not even a lock. Only
  /// functions that read work on it. The path is the folder of a bare repository, or of a clone with its folder `.git`.
  ///
  /// It may belong to another user. Git refuses that because a repository's configuration can name programs to run, but
  /// this library runs none, and the caller verifies whatever it reads.
  package static func openReadOnly(at path: String) throws(GitError) -> Repository {
    try LibGit2.start()
    guard FileManager.default.fileExists(atPath: path) else {
      throw GitError(.noRepository, "there is no repository at \(path)", context: path)
    }
    guard coffer_git_set_owner_validation(0) == 0 else { throw .libgit2(-1, context: "libgit2") }
    defer { _ = coffer_git_set_owner_validation(1) }
    var isMissing = false
    let object: LibGit2Object
    do throws(GitError) {
      object = unsafe try LibGit2Object.create(context: path, git_repository_free) {
        let result = unsafe git_repository_open_ext(&$0, path, UInt32(GIT_REPOSITORY_OPEN_NO_SEARCH.rawValue), nil)
        isMissing = result == GIT_ENOTFOUND.rawValue
        return result
      }
    } catch {
      guard isMissing else { throw error }
      throw GitError(.noRepository, "there is no repository at \(path)", context: path)
    }
    // As new: its objects are the remote's, and fetching them anew would not help.
    return Repository(
      path: path, object, programs: .fromEnvironment, lock: nil, isNew: true,
      statistics: Statistics(looseObjectCount: 0, packCount: 0))
  }

  /// Whether the repository has no working tree.
  package var isBare: Bool { unsafe git_repository_is_bare(object.pointer) == 1 }

  /// Returns the commits of a repository's branches by their names, without `prefix`, as a remote would show them.
  /// `prefix` is the beginning of their full names here: `refs/heads/`, or that of the branches that a clone has
  /// fetched.
  package func references(below prefix: String) throws(GitError) -> [String: ObjectID] {
    var found: [String: ObjectID] = [:]
    for name in try referenceNames() where name.hasPrefix(prefix) {
      found["refs/heads/" + name.dropFirst(prefix.count)] = try reference(name)
    }
    return found
  }
}

extension Repository {
  /// Returns the object that a reference names, or nil if the reference does not exist.
  package func reference(_ name: String) throws(GitError) -> ObjectID? {
    try Self.requireReferenceName(name)
    if let referencesInMemory { return referencesInMemory[name] }
    var id = git_oid()
    let result = unsafe git_reference_name_to_id(&id, object.pointer, name)
    if result == GIT_ENOTFOUND.rawValue {
      git_error_clear()
      return nil
    }
    try check(result, context: name)
    return ObjectID(id)
  }

  /// Creates a reference or moves it to `target`, whatever it named before; nil deletes it.
  package func setReference(_ name: String, to target: ObjectID?) throws(GitError) {
    try Self.requireReferenceName(name)
    if referencesInMemory != nil {
      referencesInMemory?[name] = target
      return
    }
    guard let target else {
      let result = unsafe git_reference_remove(object.pointer, name)
      if result != GIT_ENOTFOUND.rawValue { try check(result, context: name) }
      git_error_clear()
      return
    }
    var id = target.raw
    _ = unsafe try LibGit2Object.create(context: name, git_reference_free) { [repository = object.pointer] in
      unsafe git_reference_create(&$0, repository, name, &id, 1, nil)
    }
  }

  /// Whether the repository has any reference.
  func hasReferences() throws(GitError) -> Bool { try !referenceNames().isEmpty }

  func referenceNames() throws(GitError) -> [String] {
    if let referencesInMemory { return referencesInMemory.keys.sorted() }
    var names = unsafe git_strarray()
    try check(unsafe git_reference_list(&names, object.pointer), context: path)
    defer { unsafe git_strarray_dispose(&names) }
    return unsafe (0..<names.count).compactMap { unsafe names.strings[$0].map { unsafe String(cString: $0) } }
  }

  /// Throws `.rejected` unless git accepts the name and it is a full one: `refs/...`.
  static func requireReferenceName(_ name: String) throws(GitError) {
    var isValid: Int32 = 0
    guard name.hasPrefix("refs/"), !name.utf8.contains(0),
      unsafe git_reference_name_is_valid(&isValid, name) == 0, isValid == 1
    else {
      throw GitError(.rejected, "not the full name of a reference", context: name.sanitizedForTerminal())
    }
  }
}

extension Repository {
  /// The number of objects outside packs, and of packs. Past about 2,000 loose objects or 50 packs, deleting the cache
  /// and fetching again is cheaper than using it further.
  package struct Statistics: Sendable, Hashable {
    package let looseObjectCount: Int
    package let packCount: Int
  }
}
