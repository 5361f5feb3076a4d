internal import CofferCrypto
package import CofferFormat

extension Membership {
  /// The head of the log as words that people can compare between machines.
  package var headPhrase: String { head.phrase }
}

extension LogPosition {
  /// The position as words that people can compare between machines: the first eight bytes of its hash as four proquints (Wilkerson, "A Proposal for Proquints: Identifiers that are Readable, Spellable, and Pronounceable",
  /// 2009).
  package var phrase: String {
    let consonants = Array("bdfghjklmnprstvz")
    let vowels = Array("aiou")
    let bytes = hash.raw.bytes
    return stride(from: 0, to: 8, by: 2).map { index in
      let word = Int(bytes[index]) << 8 | Int(bytes[index + 1])
      return String([
        consonants[word >> 12 & 15], vowels[word >> 10 & 3], consonants[word >> 6 & 15], vowels[word >> 4 & 3],
        consonants[word & 15],
      ])
    }.joined(separator: "-")
  }
}
