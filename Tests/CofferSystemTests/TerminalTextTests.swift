import CofferSystem
import Testing

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("a\u{0}b", "a\\u{0}b"),
    ("a\nb\r\tc", "a\\u{A}b\\u{D}\\u{9}c"),
    ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"),
    ("\u{1B}]0;title\u{7}", "\\u{1B}]0;title\\u{7}"),
    ("a\u{7F}\u{8}", "a\\u{7F}\\u{8}"),
  ])
  func `Control characters and escape sequences are escaped`(text: String, expected: String) {
    #expect(text.sanitizedForTerminal() == expected)
  }

  @Test func `Every C0 and C1 control is escaped`() throws {
    for value in Array(UInt32(0)..<0x20) + Array(0x7F..<0xA0) {
      let text = String(Character(try #require(Unicode.Scalar(value))))
      #expect(text.sanitizedForTerminal() == "\\u{\(String(value, radix: 16, uppercase: true))}")
    }
  }

  @Test(arguments: Array(UInt32(0x202A)...0x202E) + Array(0x2066...0x2069) + [0x200E, 0x200F, 0x061C])
  func `Bidirectional overrides, isolates and marks are escaped`(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let name = "photo\(Character(scalar))gpj.exe"
    #expect(name.sanitizedForTerminal() == "photo\\u{\(String(value, radix: 16, uppercase: true))}gpj.exe")
  }

  @Test(arguments: [
    ("\u{2028}", "\\u{2028}"),  // line separator
    ("\u{2029}", "\\u{2029}"),  // paragraph separator
    ("\u{200B}", "\\u{200B}"),  // zero-width space
    ("\u{FEFF}", "\\u{FEFF}"),  // byte order mark
    ("\u{AD}", "\\u{AD}"),  // soft hyphen
    ("\u{E0001}\u{E0041}", "\\u{E0001}\\u{E0041}"),  // tags
    ("\u{E000}\u{F0000}\u{10FFFD}", "\\u{E000}\\u{F0000}\\u{10FFFD}"),  // private use
    ("\u{FFFE}\u{378}", "\\u{FFFE}\\u{378}"),  // a noncharacter and an unassigned scalar
    ("👩\u{200D}👧", "👩\\u{200D}👧"),  // emoji that are joined
  ])
  func `Invisible, private and unassigned scalars are escaped`(text: String, expected: String) {
    #expect(text.sanitizedForTerminal() == expected)
  }

  @Test(arguments: [
    "", "plain text", "ключ", "naïve", "e\u{301}", "日本語", "עברית", "🔐", "❤\u{FE0F}", "a\u{A0}b", "\\u{1B}", "%25",
  ])
  func `Other text is kept as it is`(text: String) {
    #expect(Array(text.sanitizedForTerminal().unicodeScalars) == Array(text.unicodeScalars))
    #expect(text.sanitizedForTerminal(foldsWhiteSpace: true).unicodeScalars.count == text.unicodeScalars.count)
  }

  @Test func `A long text is cut after the limit, which counts scalars before they are escaped`() {
    #expect(String(repeating: "x", count: 200).sanitizedForTerminal() == String(repeating: "x", count: 200))
    #expect(String(repeating: "x", count: 201).sanitizedForTerminal() == String(repeating: "x", count: 200) + "…")
    #expect("\u{1B}\u{1B}\u{1B}".sanitizedForTerminal(limit: 2) == "\\u{1B}\\u{1B}…")
    #expect("abc".sanitizedForTerminal(limit: 0) == "…")
    #expect("".sanitizedForTerminal(limit: 0) == "")
    let long = String(repeating: "x", count: 100_000)
    #expect(long.sanitizedForTerminal(limit: .max) == long)
  }

  @Test(arguments: [
    ("one\ntwo", "one two"),
    ("one\r\n\r\n\ttwo \u{85} three", "one two three"),
    ("\n one\u{2028}two\u{2029} \n", "one two"),
    ("one  two", "one two"),
    (" \n\t ", ""),
    ("one\u{1B}[31m\ntwo\u{202E}", "one\\u{1B}[31m two\\u{202E}"),
  ])
  func `Text of several lines is folded into one when asked`(text: String, expected: String) {
    #expect(text.sanitizedForTerminal(foldsWhiteSpace: true) == expected)
  }

  @Test func `The limit of folded text does not count white space`() {
    #expect("a \n b \n c".sanitizedForTerminal(limit: 2, foldsWhiteSpace: true) == "a b…")
    #expect("a b \n".sanitizedForTerminal(limit: 2, foldsWhiteSpace: true) == "a b")
  }

  @Test func `No scalar of Unicode passes that is neither visible nor a space`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isKept = String(Character(scalar)).sanitizedForTerminal().unicodeScalars.first == scalar && value != 0x5C
      let category = scalar.properties.generalCategory
      let isUnsafe: Bool =
        switch category {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      if isKept == isUnsafe && value != 0x5C { Issue.record("U+\(String(value, radix: 16)) \(category)") }
    }
  }
}
