package import CofferCrypto
package import CofferFormat

/// The beginning of a hash as words that people compare between machines: its first 12 bytes as six proquints
/// (Wilkerson, "A Proposal for Proquints: Identifiers that are Readable, Spellable, and Pronounceable", 2009).
package struct Phrase: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  private static let byteCount = 12
  private static let consonants = Array("bdfghjklmnprstvz".utf8)
  private static let vowels = Array("aiou".utf8)
  /// The letters of one word, from the first: each stands for 4 or 2 bits.
  private static let letters = [consonants, vowels, consonants, vowels, consonants]

  /// The reason why a text is no phrase.
  package enum ParseError: Error, Hashable, Sendable {
    /// It is not six words of five letters each, or a word has a letter that no phrase has at its place.
    case malformed
  }

  package init(_ hash: Bytes32) { bytes = Array(hash.bytes.prefix(Self.byteCount)) }

  /// Reads a phrase as typed by a person. Case, spaces and hyphens are ignored.
  package init(parsing text: String) throws(ParseError) {
    let characters = text.utf8.filter { !" -\t\r\n".utf8.contains($0) }
    guard characters.count == Self.byteCount / 2 * Self.letters.count else { throw .malformed }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: Self.letters.count) {
      var word = 0
      for (character, letters) in zip(characters[start...], Self.letters) {
        let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
        guard let value = letters.firstIndex(of: isCapital ? character + 0x20 : character) else { throw .malformed }
        word = word * letters.count + value
      }
      bytes += [UInt8(word >> 8), UInt8(word & 0xFF)]
    }
    self.bytes = bytes
  }

  /// The words in small letters, with hyphens between them: 35 characters.
  package var description: String {
    stride(from: 0, to: Self.byteCount, by: 2).map { index in
      var word = Int(bytes[index]) << 8 | Int(bytes[index + 1])
      let characters = Self.letters.reversed().map { letters in
        defer { word /= letters.count }
        return letters[word % letters.count]
      }
      return String(decoding: characters.reversed(), as: UTF8.self)
    }.joined(separator: "-")
  }
}

extension Bytes32 {
  /// A hash as words that people can compare between machines, see ``Phrase``.
  package var phrase: String { Phrase(self).description }
}

extension Membership {
  /// The head of the log as words that people can compare between machines.
  package var headPhrase: String { head.phrase }
}

extension LogPosition {
  /// The position as words that people can compare between machines.
  package var phrase: String { hash.raw.phrase }
}
