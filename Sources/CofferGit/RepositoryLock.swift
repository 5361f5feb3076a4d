internal import CofferSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The exclusive use of a repository's folder, until it is dropped or its process ends.
struct RepositoryLock: ~Copyable {
  static let fileName = "coffer.lock"

  private let descriptor: Descriptor

  /// Throws `.locked` where somebody else holds it.
  ///
  /// It waits for a moment only: a child that another thread is just starting has our descriptors until it has become another
  /// program, and with them a lock that we have given back.
  init(folder: String) throws(GitError) {
    let path = folder + "/" + Self.fileName
    let end = ContinuousClock.now + .seconds(2)
    while true {
      let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard number >= 0 else { throw .system(errno, "cannot open the lock file", context: path) }
      let candidate = Descriptor(owning: number)
      guard flock(candidate.rawValue, LOCK_EX | LOCK_NB) == 0 else {
        if errno == EWOULDBLOCK {
          guard ContinuousClock.now >= end else {
            usleep(10_000)
            continue
          }
          throw GitError(.locked, "another process uses this repository; try again when it is done", context: folder)
        }
        throw .system(errno, "cannot lock", context: path)
      }
      // Whoever held the lock may have deleted the folder and made it anew: then ours is a lock on nothing.
      if Self.isSameFile(candidate.rawValue, path) {
        descriptor = candidate
        return
      }
    }
  }

  private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
    var held = stat()
    var there = stat()
    guard unsafe fstat(descriptor, &held) == 0, unsafe lstat(path, &there) == 0 else { return false }
    return held.st_dev == there.st_dev && held.st_ino == there.st_ino
  }
}
