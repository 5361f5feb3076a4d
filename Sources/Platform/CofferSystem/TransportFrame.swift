/// The messages between a program and the `coffer-transport` that it has started, over the standard input and output of
/// the latter.
///
/// A frame is a byte for its kind, the length of its payload in four bytes, most significant first, and the payload.
package enum TransportFrame {
  package enum Kind: UInt8, Sendable {
    /// To the child: a user name and a password, separated by a zero byte.
    case credential = 0x75
    /// To the child: requests the references of a remote, for the service that the payload names.
    case listReferences = 0x67
    /// To the child: begins a request of a service, which the payload names.
    case request = 0x70
    /// Bytes of a request or of a response.
    case data = 0x64
    /// The end of a request or of a response.
    case end = 0x65
    /// To the parent: code, message and recovery suggestion of an error, separated by zero bytes.
    case failure = 0x66
  }

  /// The number of bytes before the payload.
  package static let headerByteCount = 5

  /// The maximum length of a payload.
  package static let maximumPayloadByteCount = 1 << 18

  /// Returns the bytes before a payload.
  package static func header(_ kind: Kind, byteCount: Int) -> [UInt8] {
    [kind.rawValue] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: byteCount >> (8 * $0)) }
  }

  /// Reads the bytes before a payload. Returns nil if they are malformed.
  package static func read(header: [UInt8]) -> (kind: Kind, byteCount: Int)? {
    guard header.count == headerByteCount, let kind = Kind(rawValue: header[0]) else { return nil }
    let byteCount = header.dropFirst().reduce(0) { $0 << 8 | Int($1) }
    return byteCount <= maximumPayloadByteCount ? (kind, byteCount) : nil
  }
}

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
