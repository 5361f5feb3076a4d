internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A program under test on a pseudo-terminal, with functions to read the screen and to type.
package final class PseudoTerminal {
  /// The terminal could not be opened, or the expected text did not appear on the screen.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let process = Process()
  private let keyboard: Int32
  /// Everything that was shown, including echoed keys.
  package private(set) var screen = ""
  private var read = ""
  /// Whether the program has closed the terminal.
  private var isClosed = false

  /// Starts `coffer` with standard input, output, errors and the controlling terminal on a new pseudo-terminal.
  package convenience init(_ machine: Machine, _ arguments: String...) throws {
    try self.init(machine, program: Machine.path(of: "coffer"), arguments)
  }

  /// Starts the program at a path in the same way.
  package init(_ machine: Machine, program: String, _ arguments: [String]) throws {
    var master: Int32 = -1
    var slave: Int32 = -1
    guard unsafe openpty(&master, &slave, nil, nil, nil) == 0 else {
      throw Failure(description: "no pseudo-terminal: \(errno)")
    }
    keyboard = master
    // Otherwise the child would hold the controlling end of its own terminal.
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    let line = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["setsid", "--ctty", "--wait", program] + arguments
    process.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
      .merging(machine.environment) { $1 }
    process.standardInput = line
    process.standardOutput = line
    process.standardError = line
    try process.run()
    try line.close()
  }

  deinit { close(keyboard) }

  /// Waits until the screen shows `text` after the text awaited before.
  package func await(_ text: String) throws {
    let end = ContinuousClock.now + longestWait
    while !read.contains(text) {
      guard ContinuousClock.now < end, receive() else {
        throw Failure(description: "awaited \(text), saw: \(read)")
      }
    }
    if let range = read.range(of: text) { read = String(read[range.upperBound...]) }
  }

  /// Types keys; `\n` is the return key.
  package func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = unsafe write(keyboard, bytes, bytes.count)
  }

  /// Waits for the program's end.
  ///
  /// - Returns: The exit code; nil if the program does not end within ``longestWait``, and has to be ended.
  package func wait() -> Int32? {
    let end = ContinuousClock.now + longestWait
    while receive() || process.isRunning {
      guard ContinuousClock.now < end else {
        process.terminate()
        return nil
      }
      // Without a terminal, there is nothing to wait for but the end.
      if isClosed { usleep(2_000) }
    }
    return process.terminationStatus
  }

  /// Reads what is shown; returns false if the program has closed the terminal.
  private func receive() -> Bool {
    var request = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&request, 1, 200) > 0 else { return process.isRunning }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe Foundation.read(keyboard, &buffer, buffer.count)
    guard count > 0 else {
      isClosed = true
      return false
    }
    let text = String(decoding: buffer[..<count], as: UTF8.self)
    screen += text
    read += text
    return true
  }
}
