internal import CofferPlatform

/// An output of an observed program, and where it is shown.
struct ObservedOutput {
  /// Where this process reads it.
  let source: Int32
  private let target: Int32
  private var mask: OutputMask
  private(set) var isOpen = true

  /// Takes the values to mask. A terminal shows a value of several lines with a carriage return in each.
  init(from source: Int32, to target: Int32, _ values: [[UInt8]], isTerminal: Bool) {
    self.source = source
    self.target = target
    mask = OutputMask(isTerminal ? Self.terminalForms(of: values) : values)
  }

  /// Returns the values, and how a terminal shows them.
  static func terminalForms(of values: [[UInt8]]) -> [[UInt8]] { values + values.map(asTerminalShows) }

  private static func asTerminalShows(_ value: [UInt8]) -> [UInt8] {
    Array(value.split(separator: 10, omittingEmptySubsequences: false).joined(separator: [13, 10]))
  }

  /// Passes on what can be read. Returns false if there is nothing now, or nothing any more.
  mutating func pass() -> Bool {
    guard isOpen else { return false }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(source, &chunk, chunk.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    guard count > 0, write(mask.mask(chunk[..<count])) else {
      end()
      return false
    }
    return true
  }

  /// Passes on the rest.
  mutating func finish() {
    _ = write(mask.finish())
    if isOpen { end() }
  }

  /// The program gets an error if it goes on writing.
  private mutating func end() {
    close(source)
    isOpen = false
  }

  /// Returns false if nobody reads it any more.
  private func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(target, $0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var wait = pollfd(fd: target, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wait, 1, -1)
      } else if count == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}

// Outside of ObservedOutput, whose `write` would hide the system's.

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
