import Foundation
import Testing

@testable import CofferInspectProgram

/// The files of the pages.
@Suite struct AssetTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/Inspector/coffer-inspect/Assets")

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  private static func names(_ kinds: String...) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
      kinds.contains { name.hasSuffix($0) }
    }
  }

  @Test(arguments: try names(".js", ".css"))
  func `No file asks another host`(name: String) throws {
    let text = try Self.text(name)
    #expect(!text.contains("://"))
    #expect(!text.contains("@import"))
    #expect(!text.contains("url("))
  }

  @Test(arguments: try names(".js"))
  func `No script makes markup or code of text`(name: String) throws {
    let text = try Self.text(name)
    for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
      #expect(!text.contains(sink), "\(sink)")
    }
  }

  // MARK: Contrast

  /// The colours of texts, and the backgrounds on which the style sheet shows them.
  private static let pairs: [(text: String, backgrounds: [String])] = [
    (
      "text",
      ["page", "surface", "sunken", "accent-soft", "warning-soft", "danger-soft", "good-soft", "added", "removed"]
    ),
    ("muted", ["page", "surface", "sunken"]),
    ("accent", ["page", "surface", "accent-soft"]),
    ("accent-text", ["accent"]),
    ("warning", ["surface", "warning-soft"]),
    ("danger", ["surface", "danger-soft"]),
    ("good", ["surface", "good-soft"]),
  ]

  @Test(arguments: [false, true])
  func `Every text has a contrast of at least 4.5 to its background, light and dark`(isDark: Bool) throws {
    let colours = try Self.colours(isDark: isDark)
    for (text, backgrounds) in Self.pairs {
      for background in backgrounds {
        let contrast = Self.contrast(try #require(colours[text]), try #require(colours[background]))
        #expect(contrast >= 4.5, "\(text) on \(background): \(contrast)")
      }
    }
    // The borders of fields, and the mark of the focus: 3 to 1.
    for (mark, backgrounds) in [("line-strong", ["surface", "page"]), ("focus", ["surface", "page", "sunken"])] {
      for background in backgrounds {
        let contrast = Self.contrast(try #require(colours[mark]), try #require(colours[background]))
        #expect(contrast >= 3, "\(mark) on \(background): \(contrast)")
      }
    }
  }

  private static func colours(isDark: Bool) throws -> [String: [Double]] {
    var colours: [String: [Double]] = [:]
    for match in try text("inspector.css").matches(of: /--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);/) {
      let number = try #require(Int(isDark ? match.3 : match.2, radix: 16))
      colours[String(match.1)] = [16, 8, 0].map { Double(number >> $0 & 255) / 255 }
    }
    return colours
  }

  /// The contrast of the Web Content Accessibility Guidelines 2.2.
  private static func contrast(_ one: [Double], _ other: [Double]) -> Double {
    func luminance(_ colour: [Double]) -> Double {
      let linear = colour.map { $0 <= 0.040_45 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
    let levels = [luminance(one), luminance(other)].sorted()
    return (levels[1] + 0.05) / (levels[0] + 0.05)
  }
}
