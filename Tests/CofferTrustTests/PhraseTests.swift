import CofferCrypto
import CofferTrust
import Testing

@Suite struct PhraseTests {
  /// A hash that begins with these bytes.
  private func hash(_ bytes: [UInt8]) throws -> Bytes32 {
    try #require(Bytes32(bytes + [UInt8](repeating: 0xAA, count: 32 - bytes.count)))
  }

  @Test func `A phrase is the hash's first twelve bytes as six proquints`() throws {
    // The examples of the paper: 127.0.0.1, 63.84.220.193 and 63.118.7.35.
    let bytes: [UInt8] = [127, 0, 0, 1, 63, 84, 220, 193, 63, 118, 7, 35]
    #expect(try hash(bytes).phrase == "lusab-babad-gutih-tugad-gutuk-bisog")
    #expect(try hash([UInt8](repeating: 0, count: 12)).phrase == "babab-babab-babab-babab-babab-babab")
    #expect(try hash([UInt8](repeating: 255, count: 12)).phrase == "zuzuz-zuzuz-zuzuz-zuzuz-zuzuz-zuzuz")
    // Each of the 96 bits shows, and no other.
    let phrase = try hash(bytes).phrase
    for bit in 0..<256 {
      var other = try hash(bytes).bytes
      other[bit / 8] ^= 1 << (7 - bit % 8)
      #expect(try (#require(Bytes32(other)).phrase == phrase) == (bit >= 96), "\(bit)")
    }
  }

  @Test func `A typed phrase is that of its hash only, whatever its case, spaces and hyphens`() throws {
    let hash = try hash([127, 0, 0, 1, 63, 84, 220, 193, 63, 118, 7, 35])
    let text = "lusab-babad-gutih-tugad-gutuk-bisog"
    let typed = [
      text, text.uppercased(), text.replacing("-", with: " "), " \(text)\n", text.filter { $0 != "-" },
      text.replacing("-", with: "\t- "), "LusaB-babad gutihtugad-gutuk-bisog",
    ]
    for text in typed { #expect(try Phrase(parsing: text) == Phrase(hash), "\(text)") }
    for _ in 0..<100 {
      let other = try #require(Bytes32(Random.bytes(count: 32)))
      #expect(try Phrase(parsing: other.phrase) == Phrase(other))
      #expect(Phrase(other) != Phrase(hash))
    }
  }

  @Test(
    arguments: [
      "", "lusab", "lusab-babad-gutih-tugad", "lusab-babad-gutih-tugad-gutuk-bisog-babab",
      "lusab-babad-gutih-tugad-gutuk-bisoc", "lusab-babad-gutih-tugad-gutuk-besog",
      "lusab-babad-gutih-tugad-gutuk-ibsog",
      "lusab_babad_gutih_tugad_gutuk_bisog", "lusab-babad-gutih-tugad-gutuk-biso\u{212A}",
      "lusab-babad-gutih-tugad-gutuk-bısog", "lusab\u{2010}babad-gutih-tugad-gutuk-bisog",
    ])
  func `A text that is not six words of a phrase is refused`(_ text: String) {
    #expect(throws: Phrase.ParseError.malformed) { try Phrase(parsing: text) }
  }
}
