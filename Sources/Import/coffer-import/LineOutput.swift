internal import CofferPlatform
internal import CofferSystem

/// Lines of JSON on standard output, several in one write.
final class LineOutput {
  private var buffer: [UInt8] = []
  private let encoder: JSONEncoder

  init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  func write(_ line: ImportLine) throws {
    buffer += try encoder.encode(line)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= 65_536 { try flush() }
  }

  /// Writes what has not been written. Throws if nobody reads it any more.
  func flush() throws {
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Self.write(STDOUT_FILENO, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ClosedOutput() }
      rest = rest.dropFirst(count)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe systemWrite(descriptor, bytes.baseAddress, bytes.count)
  }

  private struct ClosedOutput: Error {}
}

// Outside of the type, whose `write` would hide the system's.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
