internal import CofferPlatform

/// Locks of single bytes of a file. Each belongs to a process, which the kernel names to others, and ends with it, or as soon
/// as the process closes any descriptor of the file.
package enum RecordLock {
  package enum Kind: Sendable {
    /// Several processes can have it.
    case shared
    case exclusive

    fileprivate var number: Int16 { Int16(self == .shared ? F_RDLCK : F_WRLCK) }
  }

  /// A process that has a lock.
  package struct Holder: Hashable, Sendable {
    /// Its identifier; 0 or less if it is not visible to this process, for instance in another container.
    package let process: Int32
    /// The first locked byte.
    package let offset: Int
  }

  /// Locks a byte, which need not exist, or changes the kind of this process's lock, without waiting. For an exclusive
  /// lock, the file must be open for writing. Returns the error number, nil for success: `EACCES` or `EAGAIN` if
  /// another process is in the way.
  package static func set(_ kind: Kind, at offset: Int, of descriptor: Int32) -> Int32? {
    var lock = record(kind, offset..<offset + 1)
    return unsafe fcntl(descriptor, F_SETLK, &lock) == 0 ? nil : errno
  }

  /// Finds one process whose locks keep this one from a lock. Throws if the file system has no such locks.
  package static func holder(
    against kind: Kind, in range: Range<Int>, of descriptor: Int32
  ) throws(SystemError) -> Holder? {
    var lock = record(kind, range)
    guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { throw SystemError(errno, "cannot examine locks") }
    return lock.l_type == Int16(F_UNLCK) ? nil : Holder(process: lock.l_pid, offset: Int(lock.l_start))
  }

  private static func record(_ kind: Kind, _ range: Range<Int>) -> flock {
    var lock = flock()
    lock.l_type = kind.number
    lock.l_whence = Int16(SEEK_SET)
    (lock.l_start, lock.l_len) = (off_t(range.lowerBound), off_t(range.count))
    return lock
  }
}
