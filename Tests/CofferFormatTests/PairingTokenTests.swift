import CofferCrypto
import CofferFormatSamples
import Testing

@testable import CofferFormat

@Suite struct PairingTokenTests {
  private let code: InvitationCode

  init() throws { code = try SampleObjects().invitationCode() }

  private func text(_ address: String) throws -> String {
    try unsafe PairingToken(code, address: address).text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  private func parsed(_ text: String) throws -> PairingToken {
    try PairingToken(parsing: SecretText(copying: text.utf8))
  }

  @Test(arguments: ["jane@nas.local:coffer.git", "/media/a b/ü.git", "https://host/x.git", "a.b.c", "x"])
  func `A token is read as the same code and address, however a terminal has broken its line`(
    _ address: String
  ) throws {
    let text = try text(address)
    #expect(text.hasPrefix("PAIR1.INVITE1-") && !text.contains("\n"))
    for width in [7, 40, 80] {
      var lines = ""
      for (index, character) in text.enumerated() { lines += (index % width == width - 1 ? "\r\n" : "") + [character] }
      let token = try parsed(" \(lines)\n")
      #expect(token.address == address && token.code.key.id == code.key.id)
    }
  }

  @Test func `A token with one other character is not read as another one`() throws {
    let text = try text("jane@nas.local:coffer.git")
    // The characters after the prefix that stand for something: the code folds O and I to digits.
    for index in text.indices {
      for other in "xq7." where text[index] != other {
        var changed = text
        changed.replaceSubrange(index...index, with: [other])
        guard changed.lowercased() != text.lowercased(), let token = try? parsed(changed) else { continue }
        #expect(token.address == "jane@nas.local:coffer.git" && token.code.key.id == code.key.id, "\(changed)")
      }
    }
  }

  @Test(arguments: ["", " x", "x ", "a\nb", "a\u{1b}[2J", "a\u{0}", "a\u{9b}", String(repeating: "a", count: 4_097)])
  func `An address that a terminal would not show as it is, or that is empty or too long, is no part of a token`(
    _ address: String
  ) {
    #expect(throws: PairingToken.ParseError.malformed) { try PairingToken(code, address: address) }
  }

  @Test func `A huge text is refused`() {
    #expect(throws: PairingToken.ParseError.malformed) {
      try parsed("PAIR1." + String(repeating: "A", count: 1 << 20))
    }
  }
}
