import CofferTestSupport
import CofferTrust
import Foundation
import Testing

/// The scanners compared with Foundation's parser, over random lists and random changes to them.
@Suite struct PropertyListDifferentialTests {
  private static let isSoak = SeededGenerator.isSoak
  /// The number of lists per format and seed. There are three seeds, and 1,000,000 lists in all if COFFER_SOAK is 1.
  private static let count = isSoak ? 166_667 : 1_500

  @Test(.timeLimit(.minutes(120)), arguments: SeededGenerator.seeds)
  func `The scanner and the parser read the same value in every XML list that both accept`(seed: UInt64) {
    var outcomes = Outcomes(generator: SeededGenerator(seed: seed))
    for round in 0..<Self.count {
      var list = RandomPropertyList(generator: outcomes.generator)
      let value = list.entitlements()
      var tokens = list.xmlTokens(value)
      outcomes.generator = list.generator
      if round % 4 == 0 {
        outcomes.requireAccepted(Array(tokens.joined().utf8), value)
        continue
      }
      for _ in 0..<Int.random(in: 1...4, using: &outcomes.generator) { change(&tokens, using: &outcomes.generator) }
      var bytes = Array(tokens.joined().utf8)
      if round % 4 == 3 { change(&bytes, using: &outcomes.generator) }
      outcomes.compare(bytes)
    }
    outcomes.finish(of: Self.count)
  }

  @Test(.timeLimit(.minutes(120)), arguments: SeededGenerator.seeds)
  func `The scanner and the parser read the same value in every binary list that both accept`(seed: UInt64) {
    var outcomes = Outcomes(generator: SeededGenerator(seed: seed))
    for round in 0..<Self.count {
      var list = RandomPropertyList(generator: outcomes.generator)
      let value = list.entitlements()
      var bytes = list.binary(value)
      outcomes.generator = list.generator
      if round % 4 == 0 {
        outcomes.requireAccepted(bytes, value)
        continue
      }
      for _ in 0..<Int.random(in: 1...3, using: &outcomes.generator) { change(&bytes, using: &outcomes.generator) }
      outcomes.compare(bytes)
    }
    outcomes.finish(of: Self.count)
  }

  @Test func `The comparison sees every difference in keys, texts, order and types`() {
    let value = PropertyListValue.dictionary(["a": .array([.text("é"), .other]), "b": .dictionary([:])])
    #expect(value.matches(["a": ["é", 1], "b": [:]] as [String: Any]))
    let others: [[String: Any]] = [
      ["a": ["é", 1]], ["a": ["é", 1], "c": [:]], ["a": ["é", 1], "b": [:], "c": 1], ["a": ["é"], "b": [:]],
      ["a": ["é", 1, 1], "b": [:]], ["a": [1, "é"], "b": [:]], ["a": ["e\u{301}", 1], "b": [:]], ["a": "é", "b": [:]],
      ["a": ["é", "1"], "b": [:]], ["a": ["é", [1]], "b": [:]], ["a": ["é", [1: 1]], "b": [:]],
      ["a": ["é", 1], "b": 1],
    ]
    for other in others { #expect(!value.matches(other), "\(other)") }
    #expect(!PropertyListValue.dictionary(["é": .other]).matches(["e\u{301}": 1]))
  }

  /// Changes tokens of an XML list: inserts markup, or moves, repeats or removes a token.
  private func change(_ tokens: inout [String], using generator: inout SeededGenerator) {
    let index = Int.random(in: 0..<tokens.count, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...5: tokens.insert(generator.pick(Self.markup), at: index)
    case 6: tokens[index] = generator.pick(Self.markup)
    case 7: tokens.insert(generator.pick(tokens), at: index)
    case 8: tokens.swapAt(index, Int.random(in: 0..<tokens.count, using: &generator))
    default:
      // A whole element with everything in it, such as a second list of groups.
      let end = min(tokens.count, index + Int.random(in: 1...20, using: &generator))
      tokens.insert(contentsOf: tokens[index..<end], at: Int.random(in: 0...tokens.count, using: &generator))
    }
    if tokens.isEmpty { tokens = [""] }
  }

  private static let markup = [
    "<!-->", "<!--->", "<!---->", "<!-----", "<!--", "-->", "--->", "--", "->", "-", ">", "<", "/", "/>", "</", "=",
    "<!-- -- -->", "<!-- --->", "<!--><array>-->", "<![CDATA[", "]]>", "]]", "<![CDATA[]]>", "<![CDATA[x]]]>",
    "<![cdata[]]>", "<?", "?>", "<?x?>", "<?>", "<?xml?>", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>",
    "<?xml version=\"1.0\"?>", "<?xml version=\"1.0\" encoding=\"UTF-7\"?>", "<!DOCTYPE plist [", "]>",
    "<!DOCTYPE plist>", "<!DOCTYPE plist SYSTEM \">\">", "<!DOCTYPE plist [<!ENTITY e \"x\">]>", "<!ENTITY e \"x\">",
    "&e;", "&", "&#0;", "&#;", "&#x;", "&#x41;", "&#45;", "&#X41;", "&#+5;", "&#-1;", "&#xD800;", "&#xDC00;",
    "&#xFFFE;", "&#x110000;", "&#4294967361;", "&#000000065;", "&amp;", "&quot;", "&AMP;", "&lt", "\0", "\u{1}",
    "\u{B}", "\u{C}", "\u{85}", "\u{A0}", "\u{FEFF}", "\u{200B}", "é", "e\u{301}", "\r", "\n", " ", "\t", "\"", "'",
    "<plist>", "</plist>", "<plist/>", "<plist version=\">\">", "<plist version=\"1.0\"/>", "<plist a=\"b\">", "<dict>",
    "</dict>", "<dict/>", "<dict >", "< dict>", "<dict a=\">\">", "<array>", "</array>", "<array/>", "<array / >",
    "<string>", "</string>", "<string/>", "<string />", "<key>", "</key>", "<key/>", "<key a=\"b\">", "<KEY>",
    "<key>k</key>", "<key>keychain-access-groups</key>", "<key>keychain&#45;access-groups</key>",
    "<key>keychain-access-groups</key><array/>",
    "<key>keychain-access-groups</key><array><string>evil</string></array>",
    "<key>application-identifier</key><string>evil</string>", "<string>evil</string>", "<key>CF$UID</key>",
    "<integer>1</integer>", "<dict><key>CF$UID</key><integer>1</integer></dict>", "<data>A<A</data>", "<data/>",
    "<data>", "</data>", "<true>", "</true>", "<true/>", "<real>&#49;</real>", "<real><![CDATA[1]]></real>", "<set>",
    "<x/>", "bplist00", "{a = b;}",
  ]

  /// Changes bytes anywhere, most often in a place that decides what the others mean.
  private func change(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    guard bytes.count > 1 else { return }
    let isBinary = bytes.starts(with: "bplist".utf8)
    var index = Int.random(in: 0..<bytes.count, using: &generator)
    if isBinary, generator.chance(30) { index = max(0, bytes.count - Int.random(in: 1...80, using: &generator)) }
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...2: bytes[index] = .random(in: 0...255, using: &generator)
    case 3: bytes[index] &+= generator.pick([1, 255, 16, 240])
    case 4: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
    case 5: bytes[index] = generator.pick(bytes)
    case 6:
      bytes[index] = generator.pick([
        0, 0x0F, 0x10, 0x51, 0x5F, 0x61, 0x70, 0x80, 0xA0, 0xA1, 0xAF, 0xC1, 0xD0, 0xD1, 0xFF,
      ])
    case 7: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &generator))
    case 8: bytes.remove(at: index)
    default: bytes.insert(.random(in: 0...255, using: &generator), at: index)
    }
  }
}

/// What the scanner and the parser made of the lists of one run.
private struct Outcomes {
  var generator: SeededGenerator
  private var acceptedByBoth = 0
  private var refusedByScanner = 0
  private var differences = 0

  init(generator: SeededGenerator) { self.generator = generator }

  /// Verifies that both accept a well-formed list and read `value`.
  mutating func requireAccepted(_ bytes: [UInt8], _ value: PropertyListValue) {
    let scanned = Result { () throws(PropertyListFlaw) in try ScannedPropertyList(bytes) }
    if (try? scanned.get().value) != value {
      report("The scanner read \(scanned) instead of \(value)", bytes)
    } else if !compare(bytes) {
      report("The parser refuses a list that the scanner accepts", bytes)
    }
  }

  /// Verifies that both read the same value if both accept the list, in the form that is parsed and as it was given.
  ///
  /// - Returns: True if both accept it.
  @discardableResult mutating func compare(_ bytes: [UInt8]) -> Bool {
    guard let scanned = try? ScannedPropertyList(bytes) else {
      refusedByScanner += 1
      return false
    }
    guard let parsed = parse(scanned.bytes, isBinary: scanned.isBinary) else { return false }
    acceptedByBoth += 1
    if !scanned.value.matches(parsed) { report("The parser read \(parsed) instead of \(scanned.value)", bytes) }
    if !scanned.isBinary, let parsed = parse(bytes, isBinary: false), !scanned.value.matches(parsed) {
      report("The parser read \(parsed) instead of \(scanned.value) in the whole file", bytes)
    }
    return true
  }

  private func parse(_ bytes: [UInt8], isBinary: Bool) -> Any? {
    var format = PropertyListSerialization.PropertyListFormat.openStep
    let list = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: &format)
    return format == (isBinary ? .binary : .xml) ? list : nil
  }

  /// Verifies that the run found no difference, and that both accepted more than the unchanged quarter of the lists.
  func finish(of count: Int) {
    print(
      "\(generator): \(count) lists, \(acceptedByBoth) accepted by both, \(refusedByScanner) refused by the scanner")
    #expect(differences == 0, "\(generator)")
    #expect(acceptedByBoth > count / 4 + count / 50, "\(generator)")
    #expect(refusedByScanner > count / 8, "\(generator)")
  }

  private mutating func report(_ difference: String, _ bytes: [UInt8]) {
    differences += 1
    guard differences <= 5 else { return }
    Issue.record(
      "\(difference.prefix(600)), \(generator), base64: \(Data(bytes).base64EncodedString())"
    )
  }
}
