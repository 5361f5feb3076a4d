internal import CGit2

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// A bare repository that serves as a cache of a remote: it can be deleted at any time and fetched again.
///
/// Its calls block; use it from one thread at a time, which is none of the concurrency runtime's. Keep one or two
/// references in it: libgit2's negotiation sends far too much where there are many. On `.corrupt`, drop the
/// object, delete the folder and open it again.
package final class Repository {
  /// The folder.
  package let path: String
  let handle: Handle
  let programs: TransportPrograms
  private let lock: RepositoryLock

  /// Opens the repository for as long as the object lives, and clears away what a killed process left.
  ///
  /// - Parameters:
  ///   - path: the folder itself, which is bare: no `.git` below it. Must belong to the user.
  ///   - creatingIfNeeded: makes a repository, with mode 0700, where the folder is missing or empty, or where an
  ///     earlier creation was cut off.
  /// - Throws: `.locked` at once where another `Repository` has it open, in this process or another; `.notFound`;
  ///   `.corrupt`; `.permissionDenied` where it belongs to another user.
  package static func open(
    at path: String, creatingIfNeeded: Bool, programs: TransportPrograms = .fromEnvironment
  ) throws(GitError) -> Repository {
    try Library.start()
    if creatingIfNeeded {
      do {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw GitError(.io, "cannot make the folder: \(error)", context: path)
      }
    } else if !FileManager.default.fileExists(atPath: path) {
      throw GitError(.notFound, "there is no repository", context: path)
    }
    let lock = try RepositoryLock(folder: path)
    if try !isComplete(path) {
      guard creatingIfNeeded else { throw GitError(.notFound, "there is no repository", context: path) }
      try initialize(path)
    }
    try Litter(folder: path).remove()
    return try Repository(path: path, programs: programs, lock: lock)
  }

  private init(path: String, programs: TransportPrograms, lock: consuming RepositoryLock) throws(GitError) {
    self.path = path
    self.programs = programs
    self.lock = lock
    handle = unsafe try Handle(context: path, git_repository_free) { unsafe git_repository_open_bare(&$0, path) }
  }

  // HEAD is what libgit2's initialisation, like git's, leaves for last in effect: without it, nothing else counts.
  private static func isComplete(_ path: String) throws(GitError) -> Bool {
    let parts = ["HEAD", "config", "objects", "refs"]
    let missing = parts.filter { !FileManager.default.fileExists(atPath: path + "/" + $0) }
    guard !missing.isEmpty else { return true }
    let known: Set = [
      RepositoryLock.fileName, "HEAD", "config", "description", "hooks", "info", "objects", "refs", "packed-refs",
    ]
    do {
      let foreign = try FileManager.default.contentsOfDirectory(atPath: path).filter {
        !known.contains($0) && !$0.hasSuffix(".lock") && !$0.contains("_git2_")
      }
      guard foreign.isEmpty else {
        throw GitError(.rejected, "the folder holds something else: choose an empty one", context: path)
      }
    } catch let error as GitError {
      throw error
    } catch {
      throw GitError(.io, "cannot list the folder: \(error)", context: path)
    }
    return false
  }

  private static func initialize(_ path: String) throws(GitError) {
    var options = unsafe git_repository_init_options()
    try check(
      unsafe git_repository_init_options_init(&options, UInt32(GIT_REPOSITORY_INIT_OPTIONS_VERSION)), context: path)
    unsafe options.flags = GIT_REPOSITORY_INIT_BARE.rawValue
    _ = unsafe try Handle(context: path, git_repository_free) { unsafe git_repository_init_ext(&$0, path, &options) }
  }
}
