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

  /// The script of the pages has the same rule: its test in the browser has these texts too.
  @Test func `Joiners are shown as themselves in words and emoji, and tags in three flags`() {
    let tags = "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"
    let texts = [
      "می\u{200C}خواهم", "श्री\u{200D}मान", "क्\u{200D}ष", "👩\u{200D}🚀", "👩🏽\u{200D}🚀", "❤\u{FE0F}\u{200D}🔥",
      "👩\u{200D}👩\u{200D}👧", "\u{1F3F4}\(tags)", "a \u{1F3F4}\(tags)\u{1F3F4}\(tags) b",
    ]
    for text in texts {
      #expect(DisplayText(text).text == text && !DisplayText(text).hasSymbols, "\(text)")
    }
  }

  @Test(arguments: [
    ("a\u{200D}b", "a‹U+200D›b"), ("1\u{200D}2", "1‹U+200D›2"), ("م\u{200C}a", "م‹U+200C›a"),
    ("م\u{200C}", "م‹U+200C›"),
    ("\u{200D}م", "‹U+200D›م"), ("می\u{200C}\u{200C}خ", "می‹U+200C›‹U+200C›خ"), ("👩\u{200C}🚀", "👩‹U+200C›🚀"),
    ("😀\u{200D}", "😀‹U+200D›"), ("🏻\u{200D}😀", "🏻‹U+200D›😀"), ("می\u{202D}خ", "می‹U+202D›خ"),
    ("क\u{200D}\u{202E}ख", "क‹U+200D›‹U+202E›ख"), ("م\u{2066}خ", "م‹U+2066›خ"), ("\u{E0067}", "‹U+E0067›"),
    ("\u{1F3F4}\u{E0067}\u{E0062}", "\u{1F3F4}‹U+E0067›‹U+E0062›"),
    (
      "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0078}\u{E007F}",
      "\u{1F3F4}‹U+E0067›‹U+E0062›‹U+E0073›‹U+E0063›‹U+E0078›‹U+E007F›"
    ),
    (
      "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}x",
      "\u{1F3F4}‹U+E0067›‹U+E0062›‹U+E0073›‹U+E0063›‹U+E0074›x"
    ),
  ])
  func `Joiners and tags that could hide something, and marks that reorder, are shown as symbols`(
    text: String, shown: String
  ) {
    #expect(DisplayText(text).text == shown)
    #expect(DisplayText(text).hasSymbols)
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
