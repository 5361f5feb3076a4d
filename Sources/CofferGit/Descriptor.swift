#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file descriptor that closes itself, and that no child inherits.
struct Descriptor: ~Copyable {
  let rawValue: Int32

  init(owning rawValue: Int32) {
    self.rawValue = rawValue
  }

  deinit { _ = close(rawValue) }

  /// Two ends joined. Sockets and not pipes: a write to a socket whose reader is gone can be told not to raise
  /// SIGPIPE, so the process's signal handling stays the application's own.
  static func pair(context: String) throws(GitError) -> DescriptorPair {
    var ends: [Int32] = [-1, -1]
    #if os(Linux)
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
        throw .system(errno, "cannot open a pipe", context: context)
      }
    #else
      guard unsafe socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else {
        throw .system(errno, "cannot open a pipe", context: context)
      }
      for end in ends {
        var yes: Int32 = 1
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = unsafe setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
      }
    #endif
    return DescriptorPair(ours: Descriptor(owning: ends[0]), theirs: Descriptor(owning: ends[1]))
  }

  /// Sends without waiting and without SIGPIPE. Returns the count, or -1 with `errno`.
  static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
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

  /// Receives without waiting. Returns the count, 0 at the end, or -1 with `errno`.
  static func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
    #if os(Linux)
      let flags = Int32(MSG_DONTWAIT)
    #else
      let flags = MSG_DONTWAIT
    #endif
    return unsafe recv(descriptor, bytes.baseAddress, bytes.count, flags)
  }
}

/// The end that this process keeps, and the end for a child.
struct DescriptorPair: ~Copyable {
  let ours: Descriptor
  let theirs: Descriptor
}
