package import CofferCrypto

extension Bytes32 {
  /// A hash as words that people can compare between machines: its first eight bytes as four proquints (Wilkerson, "A
  /// Proposal for Proquints: Identifiers that are Readable, Spellable, and Pronounceable", 2009).
  package var phrase: String {
    let consonants = Array("bdfghjklmnprstvz")
    let vowels = Array("aiou")
    let bytes = bytes
    return stride(from: 0, to: 8, by: 2).map { index in
      let word = Int(bytes[index]) << 8 | Int(bytes[index + 1])
      return String([
        consonants[word >> 12 & 15], vowels[word >> 10 & 3], consonants[word >> 6 & 15], vowels[word >> 4 & 3],
        consonants[word & 15],
      ])
    }.joined(separator: "-")
  }
}
