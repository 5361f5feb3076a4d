/// Splits bytes, as they arrive, into lines.
package struct LineSplitter {
  private var line: [UInt8] = []
  private let maximumByteCount: Int

  /// Takes how many bytes of a line are kept.
  package init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

  /// Takes the next bytes. `body` receives each line that has ended and is not empty, without its newline or carriage
  /// return.
  package mutating func add(_ bytes: some Sequence<UInt8>, _ body: (String) -> Void) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        finish(body)
      } else if line.count < maximumByteCount {
        line.append(byte)
      }
    }
  }

  /// Ends the last line, which may lack its newline.
  package mutating func finish(_ body: (String) -> Void) {
    if !line.isEmpty { body(String(decoding: line, as: UTF8.self)) }
    line.removeAll(keepingCapacity: true)
  }
}
