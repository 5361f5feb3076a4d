internal import Foundation

/// An advisory lock on a file, held for as long as the value lives. The kernel releases it when the process ends,
/// however it ends.
package struct FileLock: ~Copyable {
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for the lock and acquires it.
  ///
  /// - Parameters:
  ///   - path: The file to lock. It is created if it is missing, readable by its owner only.
  ///   - timeout: How long to wait for the program that holds the lock.
  ///   - purpose: What the lock is held for, as a noun for the error.
  /// - Returns: The lock.
  /// - Throws: ``VaultError``: `io` if the lock is not released within `timeout`; `readOnly`, `diskFull` or `io` if the
  ///   file cannot be opened.
  package static func acquire(path: String, timeout: Duration, purpose: String) throws(VaultError) -> FileLock {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw systemFailure("lock \(path)") }
    let end = ContinuousClock.now + timeout
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        let error = systemFailure("lock \(path)")
        close(descriptor)
        throw error
      }
      guard ContinuousClock.now < end else {
        close(descriptor)
        throw VaultError(
          .io, "another \(purpose) is still running (\(path))",
          recoverySuggestion: "wait until it is done and try again")
      }
      usleep(20_000)
    }
    return FileLock(descriptor: descriptor)
  }

  /// Acquires the lock of a file that its holder deletes, without waiting.
  ///
  /// - Parameter path: The file to lock. It is created if it is missing, readable by its owner only.
  /// - Returns: The lock, or nil if somebody holds it.
  /// - Throws: ``VaultError``: `readOnly`, `diskFull` or `io` if the file cannot be opened or locked.
  package static func acquireUnlessHeld(path: String) throws(VaultError) -> FileLock? {
    while true {
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw systemFailure("lock \(path)") }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        close(descriptor)
        if number == EINTR { continue }
        guard number == EWOULDBLOCK else { throw systemFailure("lock \(path)", number: number) }
        return nil
      }
      // A holder may have deleted the file after it was opened here: this lock would then exclude nobody.
      var locked = stat()
      var named = stat()
      if unsafe fstat(descriptor, &locked) == 0, unsafe lstat(path, &named) == 0, locked.st_ino == named.st_ino,
        locked.st_dev == named.st_dev
      {
        return FileLock(descriptor: descriptor)
      }
      close(descriptor)
    }
  }

  deinit { close(descriptor) }
}
