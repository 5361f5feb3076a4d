/// Any JSON: files and messages of other programs, of which a part is read or changed and the rest is kept.
package enum JSONValue: Encodable, Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// The member of an object; nil if this is no object or has no such member.
  package subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The text; nil if this is no text.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The elements; empty if this is no array.
  package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

  /// The members; empty if this is no object.
  package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

  /// Whether this is nothing, or a text, an array or an object without contents.
  package var isEmpty: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let elements): elements.isEmpty
    case .object(let members): members.isEmpty
    default: false
    }
  }
}

extension JSONValue {
  /// The largest number of values in one text, each member and element with them. Exports of 50,000 entries have half
  /// as many.
  package static let maximumCount = 4_000_000

  /// Reads JSON (RFC 8259) in UTF-8. Returns nil for anything else, for more than 512 levels, and for more than
  /// ``maximumCount`` values. Of two members with one name, the last one counts.
  ///
  /// An escape can be half of a character, which no text in UTF-8 has: JavaScript writes such JSON. It is malformed
  /// unless `marksLoneSurrogates`; then ``loneSurrogate`` is in its place, and the rest can be used.
  ///
  /// The first byte of a value says what it is, so the time and the memory are proportional to the text. A decoder of
  /// Foundation would have to try one type after the other, with an error for each that is wrong.
  package init?(json text: some Sequence<UInt8>, marksLoneSurrogates: Bool = false) {
    var reader = JSONReader(Array(text), marksLoneSurrogates: marksLoneSurrogates)
    guard let value = reader.read() else { return nil }
    self = value
  }
}

extension JSONValue {
  /// What is in the place of half of a character: code points that no text has.
  package static let loneSurrogate = "\u{FFFF}\u{FFFE}\u{FFFF}"
}

/// Reads one text of JSON.
private struct JSONReader {
  private static let maximumDepth = 512

  private let text: [UInt8]
  private let marksLoneSurrogates: Bool
  private var place = 0
  private var count = 0

  init(_ text: [UInt8], marksLoneSurrogates: Bool) {
    self.text = text
    self.marksLoneSurrogates = marksLoneSurrogates
  }

  /// Returns the value; nil if the text is malformed, or continues after it.
  mutating func read() -> JSONValue? {
    if text.starts(with: [0xef, 0xbb, 0xbf]) { place = 3 }
    guard let value = value(depth: 0) else { return nil }
    skipSpace()
    return place == text.count ? value : nil
  }

  private var next: UInt8? { place < text.count ? text[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { place += 1 }
  }

  /// Whether the next byte that is no space is `byte`, which is then read.
  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next == byte else { return false }
    place += 1
    return true
  }

  private mutating func value(depth: Int) -> JSONValue? {
    skipSpace()
    count += 1
    guard depth <= Self.maximumDepth, count <= JSONValue.maximumCount, let first = next else { return nil }
    switch first {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map(JSONValue.string)
    case UInt8(ascii: "t"): return word("true", .bool(true))
    case UInt8(ascii: "f"): return word("false", .bool(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) -> JSONValue? {
    guard text[place...].starts(with: word.utf8) else { return nil }
    place += word.utf8.count
    return value
  }

  private mutating func object(depth: Int) -> JSONValue? {
    place += 1
    var members: [String: JSONValue] = [:]
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string(), take(UInt8(ascii: ":")), let value = value(depth: depth + 1) else { return nil }
      members[name] = value
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}")) ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> JSONValue? {
    place += 1
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat {
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]")) ? .array(elements) : nil
  }
}

// MARK: Numbers

extension JSONReader {
  private mutating func number() -> JSONValue? {
    let start = place
    _ = takeNow(UInt8(ascii: "-"))
    // No digit may follow a zero at the beginning.
    guard takeNow(UInt8(ascii: "0")) || takeDigits() else { return nil }
    if takeNow(UInt8(ascii: ".")) { guard takeDigits() else { return nil } }
    if takeNow(UInt8(ascii: "e")) || takeNow(UInt8(ascii: "E")) {
      _ = takeNow(UInt8(ascii: "-")) || takeNow(UInt8(ascii: "+"))
      guard takeDigits() else { return nil }
    }
    let digits = String(decoding: text[start..<place], as: UTF8.self)
    if let integer = Int64(digits) { return .integer(integer) }
    guard let number = Double(digits), number.isFinite else { return nil }
    return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
  }

  /// Whether the next byte is `byte`, which is then read.
  private mutating func takeNow(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  /// Whether at least one digit comes next. All of them are read.
  private mutating func takeDigits() -> Bool {
    let start = place
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    return place > start
  }
}

// MARK: Texts

extension JSONReader {
  private mutating func string() -> String? {
    guard takeNow(UInt8(ascii: "\"")) else { return nil }
    let start = place
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { place += 1 }
    if next == UInt8(ascii: "\"") {
      defer { place += 1 }
      return String(validating: text[start..<place], as: UTF8.self)
    }
    var content = Array(text[start..<place])
    while let byte = next, byte >= 0x20 {
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: content, as: UTF8.self)
      case UInt8(ascii: "\\"): guard escape(into: &content) else { return nil }
      default: content.append(byte)
      }
    }
    return nil
  }

  /// Reads what follows a backslash.
  private mutating func escape(into content: inout [UInt8]) -> Bool {
    guard let byte = next else { return false }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "f"): content.append(0x0c)
    case UInt8(ascii: "n"): content.append(0x0a)
    case UInt8(ascii: "r"): content.append(0x0d)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "u"):
      guard let unit = unit() else { return false }
      var units = [unit]
      let next = place
      if UTF16.isLeadSurrogate(unit), takeNow(UInt8(ascii: "\\")), takeNow(UInt8(ascii: "u")), let second = self.unit()
      {
        units.append(second)
      }
      if let character = String(validating: units, as: UTF16.self) {
        content += character.utf8
      } else {
        guard marksLoneSurrogates else { return false }
        // What follows the half is read again.
        place = next
        content += JSONValue.loneSurrogate.utf8
      }
    default: return false
    }
    return true
  }

  /// Reads four hexadecimal digits.
  private mutating func unit() -> UInt16? {
    guard place + 4 <= text.count else { return nil }
    let digits = text[place..<place + 4]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    place += 4
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
