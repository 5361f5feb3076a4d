internal import CGit2
internal import CofferPlatform

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
