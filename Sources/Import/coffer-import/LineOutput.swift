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
    guard Descriptor.writeAll(buffer, to: STDOUT_FILENO) else { throw ClosedOutput() }
    buffer.removeAll(keepingCapacity: true)
  }

  private struct ClosedOutput: Error {}
}
