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

  private let process: SpawnedProgram
  private let keyboard: Int32
  private var shown: [UInt8] = []
  /// Everything that was shown, including echoed keys.
  package var screen: String { String(decoding: shown, as: UTF8.self) }
  private var read = ""
  /// Whether the program has closed the terminal.
  private var isClosed = false

  /// Starts `coffer` with standard input, output, errors and the controlling terminal on a new pseudo-terminal.
  package convenience init(_ machine: Machine, _ arguments: String...) throws {
    try self.init(machine, program: Machine.path(of: "coffer"), arguments)
  }

  /// Starts the program at a path in the same way.
  ///
  /// - Parameters:
  ///   - machine: The machine.
  ///   - program: The path of the program.
  ///   - arguments: Its arguments.
  ///   - columns: The width of the terminal's window; 0 if it does not say it.
  ///   - extra: Further environment variables.
  /// - Throws: ``Failure`` without a free pseudo-terminal; the errors of starting a program.
  package init(
    _ machine: Machine, program: String, _ arguments: [String], columns: Int = 0,
    environment extra: [String: String] = [:]
  ) throws {
    var master: Int32 = -1
    var slave: Int32 = -1
    var size = winsize(ws_row: UInt16(columns > 0 ? 60 : 0), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard unsafe openpty(&master, &slave, nil, nil, &size) == 0 else {
      throw Failure(description: "no pseudo-terminal: \(errno)")
    }
    keyboard = master
    // Otherwise programs would hold both ends of the terminal, this one and those that other tests start.
    for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer { close(slave) }
    let variables = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    do {
      process = try SpawnedProgram(
        ["setsid", "--ctty", "--wait", program] + arguments, inputDescriptor: slave, output: slave,
        environment: variables.merging(machine.environment) { $1 }.merging(extra) { $1 }, isWholeEnvironment: true)
    } catch {
      close(master)
      throw error
    }
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

  /// Whether the terminal shows what is typed.
  package var echoes: Bool {
    var settings = termios()
    return unsafe tcgetattr(keyboard, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Waits for the program's end.
  ///
  /// - Returns: The exit code, or the signal's number negated; nil if the program does not end within ``longestWait``,
  ///   and has to be ended.
  package func wait() -> Int32? {
    let end = ContinuousClock.now + longestWait
    while true {
      // What a program shows before it ends can still arrive afterwards.
      let wasRunning = process.isRunning
      guard receive() || wasRunning else { break }
      guard ContinuousClock.now < end else {
        process.end()
        return nil
      }
      // Without a terminal, there is nothing to wait for but the end.
      if isClosed { usleep(2_000) }
    }
    return process.wait()
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
    shown += buffer[..<count]
    read += String(decoding: buffer[..<count], as: UTF8.self)
    return true
  }
}
