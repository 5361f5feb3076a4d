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
  ///
  /// It is read once from its beginning to its end: a template of megabytes may consist of references, or of braces.
  init(_ template: [UInt8], path: String, _ map: ReferenceMap) throws(VaultError) {
    var rest = template[...]
    var line = 1
    while let start = Self.reference(in: rest) {
      parts.append(.bytes(rest[..<start.braces]))
      line += rest[..<start.braces].count { $0 == Self.newline }
      let place = TextLine.place(line: line, of: path)
      guard let end = Self.end(of: rest[start.text...]) else {
        throw VaultError(
          .invalidArgument, "\(place): the reference has no end",
          recoverySuggestion: "write }} after it, in the same line")
      }
      let text = String(decoding: rest[start.text..<end], as: UTF8.self).trimmedSpace
      do throws(VaultError) {
        parts.append(.request(SecretReader.Request(reference: try map.reference(text), place: place)))
      } catch {
        throw error.at(place)
      }
      rest = rest[(end + 2)...]
    }
    parts.append(.bytes(rest))
  }

  private static let newline = UInt8(ascii: "\n")
  private static let openingBrace = UInt8(ascii: "{")
  private static let closingBrace = UInt8(ascii: "}")

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
    var rest = bytes
    while let start = rest.firstIndex(of: openingBrace) {
      rest = rest[(start + 1)...]
      // Of three braces, the last two may begin a reference.
      guard rest.first == openingBrace else { continue }
      let text = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == 9 }
      let schemes = [SecretReference.scheme, ReferenceMap.foreignScheme]
      if schemes.contains(where: { text.starts(with: $0.utf8) }) { return (start, text.startIndex) }
    }
    return nil
  }

  /// Returns where the braces after a reference begin; nil if its line has none.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    var rest = bytes
    while let place = rest.firstIndex(where: { $0 == closingBrace || $0 == newline }), rest[place] == closingBrace {
      rest = rest[(place + 1)...]
      if rest.first == closingBrace { return place }
    }
    return nil
  }
}
