internal import CGit2
internal import CofferPlatform

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
  /// The files that `commit` has written since the last accepted push.
  private(set) var writtenBlobs: Set<ObjectID> = []
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

  func recordWrittenBlob(_ id: ObjectID) { writtenBlobs.insert(id) }

  func forgetWrittenBlobs() { writtenBlobs = [] }

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
}
