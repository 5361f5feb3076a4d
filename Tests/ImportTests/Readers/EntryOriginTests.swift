import CofferSystem
import Testing

@Suite struct EntryOriginTests {
  @Test func `A comment has every text of an origin again`() throws {
    var origin = EntryOrigin(source: "keepassxc", entry: "a\nb%41\u{7F}")
    origin.title = "\u{301}accent: first\r\n"
    origin.folder = "Work/Mail"
    origin.tags = ["a: b", "", "c"]
    origin.created = "2020-01-02T03:04:05Z"
    origin.part = "notes"
    #expect(EntryOrigin(comment: origin.comment) == origin)
    #expect(!origin.comment.contains("\r"))
  }

  @Test(arguments: [
    "", "hello", "imported from: x", "imported from: x\nentry: y\nother: z", "imported from: x\nentry: %G0",
  ])
  func `A comment that no import has written is none`(comment: String) {
    #expect(EntryOrigin(comment: comment) == nil)
  }
}
