internal import CofferPlatform

/// The lines of standard input, each as soon as it has arrived.
struct InputLines {
  private let maximumByteCount: Int
  private var rest: [UInt8] = []

  /// Takes the largest size of a line, in bytes.
  init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

  /// Whether the next line is too long.
  var isTooLong: Bool { rest.count > maximumByteCount }

  /// Returns the next line without its newline; nil at the end, or if the line is too long.
  mutating func next() -> [UInt8]? {
    var searched = 0
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while !isTooLong {
      if let end = rest[searched...].firstIndex(of: 10) {
        defer { rest.removeSubrange(...end) }
        return Array(rest[..<end])
      }
      searched = rest.count
      let count = unsafe read(STDIN_FILENO, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      rest += chunk[..<count]
    }
    return nil
  }
}
