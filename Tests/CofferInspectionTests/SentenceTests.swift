import CofferInspection
import CofferSystem
import Foundation
import Testing

@Suite struct SentenceTests {
  @Test(arguments: [
    ("the vault is locked", "The vault is locked."), ("It is done.", "It is done."),
    ("list the items with: coffer list --app a", "List the items with: coffer list --app a"),
    ("create one with: git init --bare x", "Create one with: git init --bare x"),
    ("run `coffer sync`", "Run `coffer sync`."), ("there are: a, b", "There are: a, b."),
  ])
  func `A clause becomes a sentence, and a command at its end gets no full stop`(_ clause: String, _ sentence: String) {
    #expect(clause.asSentence == sentence)
  }

  @Test func `A command begins after the last colon that one follows`() throws {
    let text = "It: coffer: look with: coffer list --group a:b"
    let start = try #require(text.commandStart)
    #expect(text[start...] == "coffer list --group a:b")
    #expect("coffer list".commandStart == nil && "a:coffer list".commandStart == nil)
  }

  @Test func `Numbers have their noun, and groups of three digits`() {
    #expect(counted(1, "item") == "1 item" && counted(0, "entry", "entries") == "0 entries")
    #expect(counted(12_345, "item") == "12\u{202F}345 items")
  }

  @Test func `Names of a vault lose its team, and only it`() {
    let names = TeamNames(team: "ABCDEFGHIJ")
    #expect(names.short("ABCDEFGHIJ.com.example.app") == "com.example.app")
    #expect(names.short("KLMNOPQRST.com.example.app") == "KLMNOPQRST.com.example.app")
    #expect(TeamNames(team: "").short(".com.example.app") == ".com.example.app")
  }

  @Test func `The end of a validity is worded by its days`() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    func words(_ days: Double) -> String { Validity(until: now.addingTimeInterval(days * 86_400)).words(at: now) }
    #expect(words(-2.5) == "expired 2 days ago" && words(-0.5) == "expired today")
    #expect(words(0.5) == "expires today" && words(1.5) == "expires in 1 day" && words(29.5) == "expires in 29 days")
    #expect(words(31).hasPrefix("valid until 2027-"))
    #expect(Validity(from: now.addingTimeInterval(1), until: now.addingTimeInterval(9)).state(at: now) == .future)
  }
}
