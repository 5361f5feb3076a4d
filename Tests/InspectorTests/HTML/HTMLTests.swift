import Testing

@testable import CofferInspectProgram

@Suite struct HTMLTests {
  @Test func `Names break after dots and the like, and stay text`() {
    #expect(dotted("com.example.<b>\u{202E}").source == "<bdi>com.<wbr>example.<wbr>&lt;b&gt;‹U+202E›</bdi>")
    #expect(dotted("jane@a/b.").source == "<bdi>jane@<wbr>a/<wbr>b.</bdi>")
    #expect(dotted("").source == "<bdi></bdi>")
    #expect(dotted(String(repeating: ".", count: 3), limit: 2).source == "<bdi>.<wbr>.<wbr>… (3 bytes)</bdi>")
  }

  @Test func `Text never becomes markup`() {
    let hostile = #"<script>alert("1")</script> & '"#
    let expected = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;"
    #expect(text(hostile).source == expected)
    #expect(HTML(stringLiteral: hostile).source == expected)
    #expect(("\(hostile)" as HTML).source == expected)
    #expect(given(hostile).source == "<bdi>\(expected)</bdi>")
    #expect(p { text(hostile) }.source == "<p>\(expected)</p>")
  }

  @Test func `An interpolation keeps markup and escapes text`() {
    let name = "<b>"
    #expect(
      ("1 < 2 \(strong { text(name) }) \(name) \(3)" as HTML).source
        == "1 &lt; 2 <strong>&lt;b&gt;</strong> &lt;b&gt; 3")
  }

  @Test func `A value of an attribute cannot end it`() {
    let field = input(.value(#"" onfocus="alert(1)" x='<'"#))
    #expect(field.source == #"<input value="&quot; onfocus=&quot;alert(1)&quot; x=&#39;&lt;&#39;">"#)
    #expect(button(.title("a\u{0}\u{202E}b")) { "x" }.source == #"<button title="a␀‹U+202E›b">x</button>"#)
  }

  @Test func `Controls and bidirectional controls are shown as symbols, line ends and tabs are kept`() {
    #expect(text("a\u{0}b\u{1B}c\u{7F}\u{85}").source == "a␀b␛c␡‹U+0085›")
    #expect(text("in\u{202E}voice\u{2066}\u{200B}\u{FEFF}").source == "in‹U+202E›voice‹U+2066›‹U+200B›‹U+FEFF›")
    #expect(text("a\nb\tc\r").source == "a\nb\tc␍")
    #expect(text("Grüße 日本 שלום").source == "Grüße 日本 שלום")
    // Of a word, and not of a word.
    #expect(text("می\u{200C}خواهم\n").source == "می\u{200C}خواهم\n" && text("a\u{200C}b").source == "a‹U+200C›b")
    #expect(dotted("می\u{200C}خواهم.\u{200C}").source == "<bdi>می\u{200C}خواهم.<wbr>‹U+200C›</bdi>")
  }

  @Test func `A name is shown on one line and shortened, and a text of one megabyte is whole where it is asked for`() {
    let long = String(repeating: "<x>\n", count: 262_144)
    #expect(given(long).source.utf8.count < 2_000)
    #expect(given("a\n b\tc").source == "<bdi>a␊ b␉c</bdi>")
    let whole = text(long).source
    #expect(whole.utf8.count == 262_144 * "&lt;x&gt;\n".utf8.count)
    #expect(!whole.contains("<"))
  }

  @Test func `An attribute that is off is left out`() {
    #expect(input(.checked(true), .disabled(false)).source == "<input checked>")
    #expect(a(.current(false), .href(PageAddress("keys"))) { "Keys" }.source == #"<a href="/keys">Keys</a>"#)
    #expect(option(.value(""), .selected(false)) { "All" }.source == "<option value>All</option>")
  }

  @Test func `Blocks join conditions and loops in order`() {
    let isShown = false
    let list = ul {
      for number in 1...2 { li { text(String(number)) } }
      if isShown { li { "hidden" } }
      li { "last" }
    }
    #expect(list.source == "<ul><li>1</li><li>2</li><li>last</li></ul>")
  }
}
