package import CofferPlatform
internal import Synchronization

/// The standard output of a program. What cannot be written is an error: a script that gets an exit code of 0 has all
/// of it.
package enum StandardOutput {
  /// Whether nobody reads it any more, as after `| head -1`.
  private static let isClosed = Atomic(false)

  package static func write(_ bytes: UnsafeRawBufferPointer) throws(VaultError) {
    guard let number = unsafe writeAll(bytes, to: STDOUT_FILENO) else { return }
    if number == EPIPE { isClosed.store(true, ordering: .relaxed) }
    let reason = unsafe String(cString: strerror(number))
    let isFull = number == ENOSPC || number == EDQUOT
    throw VaultError(
      isFull ? .diskFull : .io, "cannot write to standard output: \(reason)",
      recoverySuggestion: isFull ? "free some space, or write to another place" : nil)
  }

  package static func write(_ bytes: Data) throws(VaultError) {
    let result = unsafe bytes.withUnsafeBytes { buffer in
      Result { () throws(VaultError) in try unsafe write(buffer) }
    }
    try result.get()
  }

  package static func line(_ text: String) throws(VaultError) { try write(Data((text + "\n").utf8)) }

  /// Writes all bytes to a descriptor. Returns the error number, nil if all are written.
  package static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var written = 0
    while written < bytes.count {
      let count = unsafe systemWrite(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      written += count
    }
    return nil
  }

  /// Ends the process if nobody reads its output any more: without a message and by SIGPIPE, as other programs do. Call
  /// it with the error that ``write(_:)`` has thrown, when there is nothing left to clean up.
  package static func endIfClosed() {
    guard isClosed.load(ordering: .relaxed) else { return }
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }
}

// Outside of StandardOutput, whose `write` would hide the system's.

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, start, count)
}

/// The standard error of a program. Nobody may read it any more, so text that cannot be written is dropped.
package enum StandardError {
  package static func write(_ text: String) {
    let bytes = Array(text.utf8)
    unsafe bytes.withUnsafeBytes { _ = unsafe StandardOutput.writeAll($0, to: STDERR_FILENO) }
  }

  package static func line(_ text: String) { write(text + "\n") }
}
