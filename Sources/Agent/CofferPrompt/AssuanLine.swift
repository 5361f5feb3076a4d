package import CofferCrypto

/// A line that a server of the Assuan protocol sends (libassuan's manual, "Server responses").
package enum AssuanLine: Equatable {
  /// The command succeeded.
  case ok
  /// Escaped bytes of the answer, at these positions of the line: a slice would keep the line from being wiped.
  case data(Range<Int>)
  /// The command failed, or the user cancelled it.
  case error(isCancellation: Bool)
  /// A comment or a status line.
  case ignored
  /// The line is none of the protocol.
  case malformed

  /// Reads a line without its end.
  package init(_ line: [UInt8]) {
    let space = UInt8(ascii: " ")
    let word = line.prefix { $0 != space }
    let rest = min(word.count + 1, line.count)
    if word.elementsEqual("OK".utf8) {
      self = .ok
    } else if word.elementsEqual("D".utf8) {
      self = .data(rest..<line.count)
    } else if word.elementsEqual("ERR".utf8) {
      let code = UInt32(String(decoding: line[rest...].prefix { $0 != space }, as: UTF8.self)) ?? 0
      self = .error(isCancellation: Self.isCancellation(code))
    } else if word.elementsEqual("S".utf8) || word.first == UInt8(ascii: "#") {
      self = .ignored
    } else {
      self = .malformed
    }
  }

  /// Returns whether an error code means cancelled (99), fully cancelled (198), not confirmed (114) or timed out (62):
  /// libgpg-error's codes, in the lower 16 bits.
  private static func isCancellation(_ code: UInt32) -> Bool { [99, 198, 62, 114].contains(code & 0xFFFF) }

  /// Appends the bytes of a data line to `data`, without their percent escapes. Returns false if an escape is malformed
  /// or the bytes do not fit a passphrase.
  package static func append(_ range: Range<Int>, of line: [UInt8], to data: inout SecretBuffer) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      if line[index] == UInt8(ascii: "%") {
        guard index + 2 < range.upperBound, let high = digit(line[index + 1]), let low = digit(line[index + 2]) else {
          return false
        }
        guard data.append(high << 4 | low) else { return false }
        index += 3
      } else {
        guard data.append(line[index]) else { return false }
        index += 1
      }
    }
    return true
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    UInt8(exactly: Character(Unicode.Scalar(character)).hexDigitValue ?? -1)
  }

  /// Percent-escapes line breaks and percent signs, and shortens the text to fit a line. By scalars: a percent sign that
  /// is followed by a combining mark is another `Character`, and the same byte for the server.
  package static func escaped(_ text: String) -> String {
    // A line has at most 1000 bytes, with its command.
    let limit = 960
    var escaped = ""
    for scalar in text.unicodeScalars {
      let piece =
        switch scalar {
        case "%": "%25"
        case "\n": "%0A"
        case "\r": "%0D"
        default: String(scalar)
        }
      guard escaped.utf8.count + piece.utf8.count <= limit else { return escaped + "…" }
      escaped.unicodeScalars.append(contentsOf: piece.unicodeScalars)
    }
    return escaped
  }
}
