import CofferTestSupport
import CofferTrust

/// Random entitlements as a value, and the property lists of that value that a correct reader must accept.
///
/// Every text is unique, so that no part of a list can take the place of another unnoticed.
struct RandomPropertyList {
  private(set) var generator: SeededGenerator
  private var textCount = 0

  init(generator: SeededGenerator) { self.generator = generator }

  /// Returns a dictionary with some of the keys that Coffer reads, and others.
  mutating func entitlements() -> PropertyListValue {
    var values: [String: PropertyListValue] = [:]
    for key in EntitlementsKey.allCases where generator.chance(60) {
      let isList = key != .applicationIdentifier
      values[key.rawValue] =
        isList ? .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in text() }) : text()
    }
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      guard case .text(let key) = text() else { continue }
      values[key] = value(depth: 2)
    }
    return .dictionary(values)
  }

  private mutating func value(depth: Int) -> PropertyListValue {
    switch Int.random(in: 0..<(depth < 5 ? 7 : 4), using: &generator) {
    case 0...1: return .other
    case 2...3: return text()
    case 4...5: return .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth + 1) })
    default:
      var values: [String: PropertyListValue] = [:]
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let key = generator.pick(EntitlementsKey.allCases.map(\.rawValue) + ["k", "", "é", "e\u{301}x", "😀"])
        values[key] = value(depth: depth + 1)
      }
      return .dictionary(values)
    }
  }

  private mutating func text() -> PropertyListValue {
    textCount += 1
    let suffixes = [
      "", "", "", "é", "<", "]]", "&amp;", "\u{FEFF}", "😀", "\r\n", " ", "\t-->", "$(x)", "\u{85}", "'\"",
    ]
    let prefixes = [
      "g", "h", "", "\u{2028}", " ", "\u{FFFE}", generator.chance(10) ? String(repeating: "x", count: 300) : "i",
    ]
    return .text(generator.pick(prefixes) + "\(textCount)" + generator.pick(suffixes))
  }

  // MARK: XML

  /// Returns the tags, texts and comments of a list with this value. Joined, they are the list.
  mutating func xmlTokens(_ value: PropertyListValue) -> [String] {
    var tokens = generator.chance(20) ? ["\u{FEFF}"] : []
    tokens += generator.pick([
      [], ["<?xml version=\"1.0\"?>"], ["<?xml version='1.0' encoding=\"utf-8\" standalone='yes' ?>"],
      ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"],
    ])
    tokens += space()
    tokens += generator.pick([
      [], ["<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" 'http://www.apple.com/DTDs/PropertyList-1.0.dtd'>"],
      ["<!DOCTYPE plist SYSTEM \"a\" >"], ["<!DOCTYPE plist>"],
    ])
    tokens += space() + [generator.pick(["<plist>", "<plist version=\"1.0\">", "<plist\nversion = '1.0' >"])]
    tokens += space() + elements(value) + space() + ["</plist>"] + space()
    return tokens
  }

  private mutating func elements(_ value: PropertyListValue) -> [String] {
    switch value {
    case .text(let text): return textElement("string", text)
    case .other:
      return generator.pick([
        ["<true/>"], ["<false", "/>"], ["<true", ">", "</true>"], ["<integer>", "-12", "</integer>"],
        ["<real>", "1.5", "</real>"], ["<data>", "AAAA", "</data>"], ["<date>", "2020-01-01T00:00:00Z", "</date>"],
      ])
    case .array(let values):
      if values.isEmpty, generator.chance(50) { return [generator.pick(["<array/>", "<array />"])] }
      return ["<array>"] + values.flatMap { space() + elements($0) } + space() + ["</array>"]
    case .dictionary(let values):
      if values.isEmpty, generator.chance(50) { return ["<dict/>"] }
      let entries = values.sorted { $0.key < $1.key }.shuffled(using: &generator)
      return ["<dict>"] + entries.flatMap { space() + textElement("key", $0.key) + space() + elements($0.value) }
        + space() + ["</dict>"]
    }
  }

  private mutating func textElement(_ name: String, _ text: String) -> [String] {
    if text.isEmpty, generator.chance(50) { return ["<\(name)/>"] }
    var tokens = ["<\(name)>"]
    for scalar in text.unicodeScalars {
      let hexadecimal = String(scalar.value, radix: 16)
      switch Int.random(in: 0..<60, using: &generator) {
      case 0: tokens.append("&#\(scalar.value);")
      case 1: tokens.append(generator.pick(["&#x\(hexadecimal);", "&#x00\(hexadecimal.uppercased());"]))
      case 2: tokens.append("<![CDATA[\(scalar)]]>")
      case _ where scalar == "<": tokens.append("&lt;")
      case _ where scalar == ">": tokens.append("&gt;")
      case _ where scalar == "&": tokens.append("&amp;")
      case 3 where scalar == "'": tokens.append("&apos;")
      case 3 where scalar == "\"": tokens.append("&quot;")
      default: tokens.append(String(scalar))
      }
    }
    return tokens + [generator.pick(["</\(name)>", "</\(name) >"])]
  }

  private mutating func space() -> [String] {
    generator.chance(70)
      ? []
      : [
        generator.pick([" ", "\n\t", "\r\n", "<!-- -->", "<!-- >-->", "<!-- <array> - > -->", "<!--x-->\n<!--<key>-->"])
      ]
  }

  // MARK: Binary

  /// Returns a list with this value: objects in random order, with integers in various widths.
  mutating func binary(_ value: PropertyListValue) -> [UInt8] {
    let referenceWidth = generator.pick([1, 2, 3, 4, 8])
    let offsetWidth = generator.pick([2, 3, 4, 8])
    var objects: [[UInt8]] = []
    let top = add(value, to: &objects, referenceWidth: referenceWidth)

    var bytes = Array("bplist0".utf8) + [generator.pick([0x30, 0x30, 0x31])]
    var offsets = [Int](repeating: 0, count: objects.count)
    for index in objects.indices.shuffled(using: &generator) {
      offsets[index] = bytes.count
      bytes += objects[index]
    }
    let table = bytes.count
    for offset in offsets { bytes += bigEndian(offset, width: offsetWidth) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
    return bytes + [objects.count, top, table].flatMap { bigEndian($0, width: 8) }
  }

  private mutating func add(
    _ value: PropertyListValue, to objects: inout [[UInt8]], referenceWidth: Int
  ) -> Int {
    let object: [UInt8]
    switch value {
    case .text(let text): object = self.object(text)
    case .other:
      object = generator.pick([
        [0x08], [0x09], [0x10, 5], [0x13, 0, 0, 0, 0, 0, 0, 0, 1], [0x23, 0, 0, 0, 0, 0, 0, 0, 0], [0x41, 7], [0x40],
        [0x33, 0, 0, 0, 0, 0, 0, 0, 0],
      ])
    case .array(let values):
      let children = values.map { add($0, to: &objects, referenceWidth: referenceWidth) }
      object = header(0xA0, count: values.count) + children.flatMap { bigEndian($0, width: referenceWidth) }
    case .dictionary(let values):
      let entries = values.sorted { $0.key < $1.key }.shuffled(using: &generator)
      let keys = entries.map { add(.text($0.key), to: &objects, referenceWidth: referenceWidth) }
      let children = entries.map { add($0.value, to: &objects, referenceWidth: referenceWidth) }
      object = header(0xD0, count: entries.count) + (keys + children).flatMap { bigEndian($0, width: referenceWidth) }
    }
    // Equal texts may be one object.
    if case .text = value, let known = objects.firstIndex(of: object), generator.chance(50) { return known }
    objects.append(object)
    return objects.count - 1
  }

  private mutating func object(_ text: String) -> [UInt8] {
    // Foundation refuses an empty text in UTF-16.
    if text.isEmpty || text.utf8.allSatisfy({ $0 < 0x80 }) && generator.chance(70) {
      return header(0x50, count: text.utf8.count) + text.utf8
    }
    return header(0x60, count: text.utf16.count) + text.utf16.flatMap { bigEndian(Int($0), width: 2) }
  }

  private mutating func header(_ kind: UInt8, count: Int) -> [UInt8] {
    if count < 15, generator.chance(80) { return [kind | UInt8(count)] }
    let power = Int.random(in: (count < 256 ? 0 : 1)...3, using: &generator)
    return [kind | 0xF, 0x10 | UInt8(power)] + bigEndian(count, width: 1 << power)
  }

  private func bigEndian(_ value: Int, width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
