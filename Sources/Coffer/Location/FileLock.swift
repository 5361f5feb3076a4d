internal import Foundation

/// An advisory lock on a file, for as long as the value lives. The kernel gives it back when the process ends, however
/// it ends.
package struct FileLock: ~Copyable {
  private let descriptor: Int32

  /// Waits for the lock, at most until `deadline` seconds have passed.
  package init(path: String, patience: Duration, purpose: String) throws(VaultError) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw systemFailure("lock \(path)") }
    let end = ContinuousClock.now + patience
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        let error = systemFailure("lock \(path)")
        close(descriptor)
        throw error
      }
      guard ContinuousClock.now < end else {
        close(descriptor)
        throw VaultError(
          .io, "another \(purpose) is still running (\(path))", mend: "wait until it is done and try again")
      }
      usleep(20_000)
    }
  }

  deinit { close(descriptor) }
}
