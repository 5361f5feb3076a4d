import CofferCrypto
import CofferFormatSamples
import Testing

@testable import CofferFormat

@Suite struct VaultKeyTests {
  @Test func `A key's text is decoded to the same key`() throws {
    for _ in 0..<100 {
      let key = VaultKey.random()
      let text = key.string
      #expect(text.hasPrefix("COFFER1-") && text.count == 47)
      let again = try VaultKey(parsing: text)
      #expect(again.string == text)
      let bytes = [key, again].map { key in unsafe key.sealing.secret.withBytes { unsafe Array($0) } }
      #expect(bytes[0] == bytes[1])
    }
  }

  @Test func `A key is accepted as people type it`() throws {
    let text = SampleObjects.vaultKeyText
    let digits = text.dropFirst("COFFER1-".count)
    let typed = [
      text.lowercased(), text.filter { $0 != "-" }, text.replacing("-", with: "  "), "  \(text)\r\n",
      text.map(String.init).joined(separator: " "), text.replacing("-", with: "\t-\t"),
      "COFFER1-" + digits.replacing("0", with: "O").replacing("1", with: "I"),
      "coffer1-" + digits.lowercased().replacing("0", with: "o").replacing("1", with: "l"),
      "C0FFERI-" + digits, "c0fferl " + digits,
    ]
    for text in typed { #expect(try VaultKey(parsing: text).string == SampleObjects.vaultKeyText, "\(text)") }
  }

  @Test(arguments: ["ſ", "ı", "ﬀ", "Ｏ", "\u{212A}", "0\u{301}"])
  func `A character outside ASCII is refused, even if its capital is a letter of ASCII`(_ character: String) throws {
    for key in ["COFFER1-000S-40R4-0M30-E209-185G-R38E-1W8C-PEFZ", SampleObjects.vaultKeyText] {
      for place in ["S", "0", "1", "FF", "K", "E"] where key.contains(place) {
        let text = key.replacing(place, with: character, maxReplacements: 1)
        #expect(throws: VaultKey.ParseError.malformed, "\(text)") { try VaultKey(parsing: text) }
      }
    }
  }

  @Test func `One wrong character is reported as a typing error and not as a wrong key`() throws {
    let alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    var characters = Array(SampleObjects.vaultKeyText)
    for index in characters.indices.dropFirst(8) where characters[index] != "-" {
      let right = characters[index]
      for wrong in alphabet where wrong != right {
        characters[index] = wrong
        #expect(throws: VaultKey.ParseError.mistyped) { try VaultKey(parsing: String(characters)) }
      }
      characters[index] = right
    }
  }

  @Test func `Two exchanged neighbours are reported as a typing error and not as a wrong key`() throws {
    var characters = Array(SampleObjects.vaultKeyText.filter { $0 != "-" })
    for index in 7..<characters.count - 1 where characters[index] != characters[index + 1] {
      characters.swapAt(index, index + 1)
      #expect(throws: VaultKey.ParseError.mistyped) { try VaultKey(parsing: String(characters)) }
      characters.swapAt(index, index + 1)
    }
  }

  @Test(arguments: [
    "", "COFFER1", "COFFER1-", "COFFER2-000G-40R4-0M30-E209-185G-R38E-1W8C-PEFZ",
    "000G-40R4-0M30-E209-185G-R38E-1W8C-PEFZ",
    "COFFER1-000G-40R4-0M30-E209-185G-R38E-1W8C-PEF", "COFFER1-000G-40R4-0M30-E209-185G-R38E-1W8C-PEFZZ",
    "COFFER1-000G-40R4-0M30-E209-185G-R38E-1W8C-PEFU", "COFFER1-000G-40R4-0M30-E209-185G-R38E-1W8C-PEF!",
    "COFFER1-000G-40R4-0M30-E209-185G-R38E-1W8C-PEFé",
  ])
  func `Text that is not a key is malformed`(text: String) {
    #expect(throws: VaultKey.ParseError.malformed) { try VaultKey(parsing: text) }
  }

  @Test func `Neither an error nor a description contains the key`() throws {
    let key = try VaultKey(parsing: SampleObjects.vaultKeyText)
    var shown = "\(key)\(String(reflecting: key))"
    dump(key, to: &shown)
    for wrong in [SampleObjects.vaultKeyText.replacing("000G", with: "000H"), SampleObjects.vaultKeyText + "0"] {
      do {
        _ = try VaultKey(parsing: wrong)
        Issue.record("a wrong key was read")
      } catch {
        shown += "\(error)\(String(reflecting: error))"
        dump(error, to: &shown)
      }
    }
    for group in SampleObjects.vaultKeyText.split(separator: "-").dropFirst() { #expect(!shown.contains(group)) }
  }
}
