import CofferInspection
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct MarkupTextTests {
  @Test func `Markup is escaped, also in attributes`() {
    #expect("<a b='c' d=\"e\">&amp;".escapedForMarkup == "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;")
    #expect("Überraschung 🎁\t\r\n".escapedForMarkup == "Überraschung 🎁\t\r\n")
  }

  @Test func `Every scalar becomes text that an XML parser accepts, and that means the same`() throws {
    for plane in 0..<0x11 {
      var text = String.UnicodeScalarView()
      var expected = String.UnicodeScalarView()
      for value in stride(from: plane << 16, to: (plane + 1) << 16, by: plane == 0 ? 1 : 257) {
        guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
        text.append(scalar)
      }
      for scalar: Unicode.Scalar in ["\0", "\u{8}", "\u{B}", "\u{1F}", "\u{7F}", "\u{85}", "\u{FFFE}", "\u{1FFFF}"] {
        text.append(scalar)
        expected.append("\u{FFFD}")
      }
      let escaped = String(text).escapedForMarkup
      let parser = XMLParser(data: Data("<t a=\"\(escaped)\">\(escaped)</t>".utf8))
      #expect(parser.parse(), "plane \(plane): \(parser.parserError.map { "\($0)" } ?? "")")
      #expect(escaped.unicodeScalars.suffix(expected.count).elementsEqual(expected))
    }
  }
}
