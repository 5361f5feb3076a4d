internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// A text with references in double braces, in whose place values are put: `{{ coffer://GROUP/SERVICE/ACCOUNT }}`. All other
/// bytes stay as they are, also braces around anything else.
struct SecretTemplate {
  private enum Part {
    case bytes(ArraySlice<UInt8>)
    case request(SecretReader.Request)
  }

  private var parts: [Part] = []

  /// The references, in their order.
  var requests: [SecretReader.Request] {
    parts.compactMap { part in if case .request(let request) = part { request } else { nil } }
  }

  /// Reads a template. `path` is its file, for errors. Throws `invalidArgument` for a malformed reference, and for one
  /// without braces at its end.
  init(_ template: [UInt8], path: String, _ map: ReferenceMap) throws(VaultError) {
    var rest = template[...]
    while let start = Self.reference(in: rest) {
      parts.append(.bytes(rest[..<start.braces]))
      let place = TextLine.place(line: template[..<start.braces].count { $0 == 10 } + 1, of: path)
      let line = rest[start.text...].prefix { $0 != 10 }
      guard let end = Self.position(of: Array("}}".utf8), in: line) else {
        throw VaultError(
          .invalidArgument, "\(place): the reference has no end",
          recoverySuggestion: "write }} after it, in the same line")
      }
      let text = String(decoding: line[..<end], as: UTF8.self).trimmedSpace
      do throws(VaultError) {
        parts.append(.request(SecretReader.Request(reference: try map.reference(text), place: place)))
      } catch {
        throw error.at(place)
      }
      rest = rest[(end + 2)...]
    }
    parts.append(.bytes(rest))
  }

  /// Returns the text with a value in place of each reference.
  func filled(with values: [Data]) -> [UInt8] {
    var filled: [UInt8] = []
    var rest = values[...]
    for part in parts {
      switch part {
      case .bytes(let bytes): filled += bytes
      case .request: filled += rest.popFirst() ?? Data()
      }
    }
    return filled
  }

  /// Returns where the next reference in braces begins, with and without them.
  private static func reference(in bytes: ArraySlice<UInt8>) -> (braces: Int, text: Int)? {
    let braces = Array("{{".utf8)
    var rest = bytes
    while let start = position(of: braces, in: rest) {
      let text = rest[(start + braces.count)...].drop { $0 == UInt8(ascii: " ") || $0 == 9 }
      let schemes = [SecretReference.scheme, ReferenceMap.foreignScheme]
      if schemes.contains(where: { text.starts(with: $0.utf8) }) { return (start, text.startIndex) }
      rest = rest[(start + 1)...]
    }
    return nil
  }

  private static func position(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: pattern) }
  }
}
