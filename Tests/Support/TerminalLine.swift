internal import Foundation
private import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A pseudo-terminal without a program: a test writes to it as a program would, and reads what is shown.
package final class TerminalLine: Sendable {
  /// The end to which a program writes.
  package let descriptor: Int32
  private let screen: Int32
  private let shown = Mutex<[UInt8]>([])

  /// Opens a terminal whose window has a number of columns; 0 for one that does not say it.
  package init(columns: Int) throws {
    var screen: Int32 = -1
    var line: Int32 = -1
    var size = winsize(ws_row: 50, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard unsafe openpty(&screen, &line, nil, nil, &size) == 0 else {
      throw PseudoTerminal.Failure(description: "no pseudo-terminal: \(errno)")
    }
    for descriptor in [screen, line] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    self.screen = screen
    descriptor = line
  }

  deinit {
    close(descriptor)
    close(screen)
  }

  /// Calls `body`, and returns what was written meanwhile with the result.
  package func output<Value>(of body: () throws -> Value) throws -> (text: String, value: Value) {
    shown.withLock { $0 = [] }
    // The terminal holds few kilobytes, so it is read beside.
    let reader = DispatchQueue(label: "screen")
    reader.async { self.readToEnd() }
    let outcome = Result { try body() }
    unsafe _ = write(descriptor, [Self.end], 1)
    reader.sync {}
    return (String(decoding: shown.withLock { $0.dropLast() }, as: UTF8.self), try outcome.get())
  }

  private func readToEnd() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    var isAtEnd = false
    while !isAtEnd {
      let count = unsafe read(screen, &chunk, chunk.count)
      guard count > 0 else { return }
      shown.withLock { $0 += chunk[..<count] }
      isAtEnd = chunk[..<count].contains(Self.end)
    }
  }

  /// A byte that no output contains.
  private static let end: UInt8 = 0
}
