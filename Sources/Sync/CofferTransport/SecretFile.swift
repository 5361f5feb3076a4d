internal import CofferPlatform
internal import CofferSystem

/// A file with passwords.
enum SecretFile {
  private static let maximumByteCount = 1 << 20

  /// Reads a file that belongs to this user or to root, and that nobody else can read. Returns nil if it does not
  /// exist. Throws `permissionDenied`, with the reason why the file is not used.
  static func read(_ path: String) throws(TransportFailure) -> [UInt8]? {
    // Opening a named pipe would wait for a writer.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard number >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw refusal(path, "cannot be read: \(unsafe String(cString: strerror(errno)))", "check its path and mode")
    }
    let file = Descriptor(owning: number)
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw refusal(path, "is no regular file", "write the password into a regular file")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw refusal(path, "belongs to another user", "use a file of your own")
    }
    // Systems that hand secrets to services and containers mount files of root that others may read.
    let isShared = status.st_uid == 0 && geteuid() != 0
    guard status.st_mode & (isShared ? 0o022 : 0o077) == 0 else {
      throw refusal(path, "can be read by other users", "run: chmod 600 \(path.shellWord)")
    }
    guard status.st_size <= maximumByteCount else {
      throw refusal(path, "has more than \(maximumByteCount) bytes", "check its path")
    }
    return file.readToEnd(maximumByteCount: maximumByteCount)
  }

  private static func refusal(_ path: String, _ what: String, _ suggestion: String) -> TransportFailure {
    TransportFailure(
      .permissionDenied, "\(path.sanitizedForTerminal()) \(what)", recoverySuggestion: suggestion)
  }
}
