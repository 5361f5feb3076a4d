internal import CPlatform
internal import CofferPlatform

/// A file descriptor that is closed when its owner is destroyed.
package struct Descriptor: ~Copyable, Sendable {
  /// The number of the descriptor. Valid only as long as this value exists.
  package let rawValue: Int32

  /// Takes over an open descriptor.
  package init(owning rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Takes over the descriptor that a function of `CPlatform` has opened. Throws for the negative error number that it
  /// returns otherwise.
  init(opened result: Int32, _ action: String) throws(SystemError) {
    self.init(owning: try SystemError.opened(result, action))
  }

  deinit { _ = close(rawValue) }

  /// Opens a pair of connected sockets, which no child inherits. Throws if the operating system has no descriptors
  /// left.
  ///
  /// Sockets rather than a pipe: a write to a socket whose other end is closed can be told not to raise SIGPIPE, so the
  /// signal handling of the process remains the application's.
  package static func socketPair() throws(SystemError) -> DescriptorPair {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError(errno, "cannot open a pipe") }
    let pair = DescriptorPair(ours: Descriptor(owning: ends[0]), theirs: Descriptor(owning: ends[1]))
    #if !os(Linux)
      for end in ends {
        var yes: Int32 = 1
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = unsafe setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
      }
    #endif
    return pair
  }

  /// Opens a pipe to read the output of a child: `ours` is the end to read, `theirs` the end to write. No child
  /// inherits either. Throws if the operating system has no descriptors left.
  package static func pipe() throws(SystemError) -> DescriptorPair {
    var ends: [Int32] = [-1, -1]
    try unsafe SystemError.check(coffer_open_pipe(&ends), "cannot open a pipe")
    return DescriptorPair(ours: Descriptor(owning: ends[0]), theirs: Descriptor(owning: ends[1]))
  }

  /// Opens a file in memory with these bytes, which can only be read, and which no child inherits. On Linux only.
  package static func inMemory(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Descriptor {
    try unsafe Descriptor(
      opened: coffer_create_memory_file("coffer", bytes.baseAddress, bytes.count, 0), "cannot create a file in memory")
  }

  /// Reads until the end or an error, waiting as needed. Bytes after the first `maximumByteCount` are read and
  /// discarded, so that the writer does not wait for ever.
  package func readToEnd(maximumByteCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(rawValue, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: chunk[..<count].prefix(maximumByteCount - bytes.count))
    }
  }

  /// Reads until the end or until the memory is full, waiting as needed. Copies nothing: the bytes can be secret.
  /// Returns how many bytes were read.
  package func readToEnd(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < bytes.count {
      let count = unsafe read(rawValue, bytes.baseAddress?.advanced(by: filled), bytes.count - filled)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    return filled
  }

  /// Whether there is something to read, or the end, without waiting.
  package var hasInput: Bool {
    var event = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&event, 1, 0) != 0
  }

  /// Writes all bytes to a descriptor, waiting as needed. Returns false if nobody reads them any more.
  package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wait, 1, -1)
      } else if count == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Sends all bytes through a socket, waiting as needed, without SIGPIPE. Ends early if the other end is closed.
  package func sendAll(_ bytes: UnsafeRawBufferPointer) {
    var sent = 0
    while sent < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
      let count = unsafe Self.send(rest, to: rawValue)
      if count > 0 {
        sent += count
      } else if count < 0 && (errno == EAGAIN || errno == EINTR) {
        var wait = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wait, 1, -1)
      } else {
        return
      }
    }
  }

  /// Sends bytes through a socket without waiting and without SIGPIPE. Returns their number, or -1 with `errno`.
  package static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    #if os(Linux)
      let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    #else
      let flags = MSG_DONTWAIT
    #endif
    #if canImport(Glibc)
      return unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
    #elseif canImport(Musl)
      return unsafe Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
    #else
      return unsafe Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
    #endif
  }

  /// Receives bytes from a socket without waiting. Returns their number, 0 at the end, or -1 with `errno`.
  package static func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
    #if os(Linux)
      let flags = Int32(MSG_DONTWAIT)
    #else
      let flags = MSG_DONTWAIT
    #endif
    return unsafe recv(descriptor, bytes.baseAddress, bytes.count, flags)
  }
}

/// Two connected descriptors.
package struct DescriptorPair: ~Copyable {
  /// The end that this process keeps.
  package let ours: Descriptor
  /// The end for a child.
  package let theirs: Descriptor

  /// Closes `theirs`, of which the child has its copy, and returns the end that this process keeps.
  package consuming func closeTheirs() -> Descriptor { ours }
}

/// A failed call of the operating system.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number, as in `errno`.
  package let number: Int32

  /// The failed action as the beginning of a sentence, for example "cannot start ssh".
  package let action: String

  init(_ number: Int32, _ action: String) {
    self.number = number
    self.action = action
  }

  /// Whether a file or program does not exist.
  package var isNotFound: Bool { number == ENOENT }

  package var description: String { "\(action): \(Self.reason(number))" }

  /// Returns what the system says of an error number.
  package static func reason(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }

  /// Throws unless a function of `CPlatform` has returned 0: it returns an error number otherwise.
  static func check(_ number: Int32, _ action: String) throws(SystemError) {
    guard number == 0 else { throw SystemError(number, action) }
  }

  /// Returns the number of such a descriptor.
  static func opened(_ result: Int32, _ action: String) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(-result, action) }
    return result
  }
}

/// Locks of single bytes of a file. Each belongs to a process, which the kernel names to others, and ends with it, or
/// as soon as the process closes any descriptor of the file.
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
