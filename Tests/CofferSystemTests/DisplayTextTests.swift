import CofferSystem
import Testing

@Suite struct DisplayTextTests {
  @Test func `Characters that cannot be shown become symbols on one line`() {
    let cases: [(String, String)] = [
      ("plain ÄÖ 🔐 <b>", "plain ÄÖ 🔐 <b>"), ("a\0b", "a␀b"), ("a\nb\tc", "a␊b␉c"), ("\u{1B}[2J", "␛[2J"),
      ("\u{7F}", "␡"), ("\u{85}", "‹U+0085›"), ("\u{202E}gnp", "‹U+202E›gnp"),
      ("\u{2066}x\u{2069}", "‹U+2066›x‹U+2069›"),
      ("\u{2028}", "‹U+2028›"), ("\u{FEFF}", "‹U+FEFF›"), ("\u{E0041}", "‹U+E0041›"), ("", ""),
    ]
    for (text, shown) in cases {
      let display = DisplayText(text)
      #expect(display.text == shown && !display.isShortened)
      #expect(display.hasSymbols == (text != shown))
      #expect(!display.text.unicodeScalars.contains { !$0.isSafeForTerminal })
    }
  }

  @Test func `A long text is shortened, and its real size is stated`() {
    let display = DisplayText(String(repeating: "ä", count: 1 << 20), limit: 10)
    #expect(display.text == String(repeating: "ä", count: 10) + "… (2097152 bytes)")
    #expect(display.isShortened && display.byteCount == 2 << 20)
    #expect(!DisplayText("0123456789", limit: 10).isShortened)
    // A letter under a thousand accents is long too.
    #expect(DisplayText("e" + String(repeating: "\u{301}", count: 1_000), limit: 10).isShortened)
  }
}
