internal import CofferPlatform
internal import CofferSystem

/// The exclusive use of a repository's folder, until the value is destroyed or its process ends.
struct RepositoryLock: ~Copyable {
  static let fileName = "coffer.lock"

  private let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  /// Locks a repository's folder. Throws `.locked` if another process, or another lock in this one, has it.
  ///
  /// Retries for up to 2 seconds: a child that another thread is starting holds copies of this process's descriptors
  /// until its program runs, and with them a lock that has been released here.
  static func acquire(folder: String) throws(GitError) -> RepositoryLock {
    let path = folder + "/" + fileName
    let end = ContinuousClock.now + .seconds(2)
    while true {
      let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard number >= 0 else { throw .system(errno, "cannot open the lock file", context: path) }
      let descriptor = Descriptor(owning: number)
      guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
        guard errno == EWOULDBLOCK else { throw .system(errno, "cannot lock", context: path) }
        guard ContinuousClock.now < end else {
          throw GitError(.locked, "another process uses this repository; try again when it is done", context: folder)
        }
        usleep(10_000)
        continue
      }
      // If the previous holder deleted the folder and created it again, this file is no longer the one at the path.
      if isSameFile(number, path) { return RepositoryLock(descriptor) }
    }
  }

  private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
    var opened = stat()
    var current = stat()
    guard unsafe fstat(descriptor, &opened) == 0, unsafe lstat(path, &current) == 0 else { return false }
    return opened.st_dev == current.st_dev && opened.st_ino == current.st_ino
  }
}
