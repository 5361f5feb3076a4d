/// Reads an XML property list strictly, so that every parser that accepts it reads the same texts and containers.
///
/// It rejects everything that is not well-formed XML, and the well-formed XML that parsers of property lists read
/// differently or that no property list needs: processing instructions, document types with declarations, attributes
/// other than `version`, `>` in attributes, some comments, and encodings other than UTF-8.
struct XMLPropertyListScanner {
  private let bytes: [UInt8]
  private var index = 0
  /// The places of the keys without text that are written as one tag, such as `<key/>`.
  private(set) var emptyKeys: [Range<Int>] = []

  init(_ bytes: [UInt8]) throws(PropertyListFlaw) {
    guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
      throw PropertyListFlaw("is not UTF-8 text")
    }
    self.bytes = bytes
  }

  /// Returns the value of the list, and the range of its `plist` element.
  mutating func list() throws(PropertyListFlaw) -> (value: PropertyListValue, element: Range<Int>) {
    _ = skip("\u{FEFF}")
    try skipDeclaration()
    try skipSpaceAndComments()
    try skipDocumentType()
    try skipSpaceAndComments()

    let start = index
    guard skip("<plist") else { throw PropertyListFlaw("has no <plist> element after its document type") }
    if try !attributes().allSatisfy({ $0.name == "version" }) || !skip(">") {
      throw PropertyListFlaw("has a <plist> element that is malformed, empty, or has an attribute other than version")
    }
    try skipSpaceAndComments()
    let value = try element(depth: 1)
    try skipSpaceAndComments()
    try skipEndTag("plist")
    let end = index
    try skipSpaceAndComments()
    guard index == bytes.count else { throw PropertyListFlaw("has text outside <plist>") }
    return (value, start..<end)
  }

  // MARK: Before the plist element

  /// Skips `<?xml … ?>`. An encoding other than UTF-8 is rejected: parsers that follow it would see different tags.
  private mutating func skipDeclaration() throws(PropertyListFlaw) {
    guard skip("<?xml") else { return }
    let attributes = try attributes()
    let names = attributes.map(\.name)
    guard skip("?>"), names.first == "version",
      ["version", "encoding", "standalone"].filter(names.contains).elementsEqual(names)
    else { throw PropertyListFlaw("has a malformed XML declaration") }
    for (name, value) in attributes where name == "encoding" && value.lowercased() != "utf-8" {
      throw PropertyListFlaw("declares an encoding other than UTF-8")
    }
  }

  /// Skips `<!DOCTYPE plist PUBLIC "…" "…">`.
  private mutating func skipDocumentType() throws(PropertyListFlaw) {
    guard skip("<!DOCTYPE") else { return }
    skipSpace()
    guard skip("plist") else { throw PropertyListFlaw("has a document type other than plist") }
    skipSpace()
    if skip("PUBLIC") {
      skipSpace()
      _ = try quoted()
      skipSpace()
      _ = try quoted()
    } else if skip("SYSTEM") {
      skipSpace()
      _ = try quoted()
    }
    skipSpace()
    guard skip(">") else { throw PropertyListFlaw("has a document type that is malformed or contains declarations") }
  }

  private mutating func attributes() throws(PropertyListFlaw) -> [(name: String, value: String)] {
    var attributes: [(name: String, value: String)] = []
    while skipSpace(), let name = name() {
      skipSpace()
      guard skip("="), !attributes.contains(where: { $0.name == name }) else {
        throw PropertyListFlaw("has a malformed attribute")
      }
      skipSpace()
      attributes.append((name, try quoted()))
    }
    return attributes
  }

  private mutating func quoted() throws(PropertyListFlaw) -> String {
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw PropertyListFlaw("has an attribute or document type without quotes")
    }
    let start = index + 1
    repeat {
      index += 1
      guard let next, !"<>&".utf8.contains(next) else {
        throw PropertyListFlaw("has an attribute or document type that contains <, > or &")
      }
    } while next != quote
    index += 1
    return String(decoding: bytes[start..<(index - 1)], as: UTF8.self)
  }

  // MARK: Elements

  private mutating func element(depth: Int) throws(PropertyListFlaw) -> PropertyListValue {
    let (name, isEmpty) = try startTag()
    switch name {
    case "string": return .text(isEmpty ? "" : try text(in: name))
    case "array": return .array(isEmpty ? [] : try array(depth: depth))
    case "dict": return .dictionary(isEmpty ? [:] : try dictionary(depth: depth))
    case "true", "false":
      if !isEmpty { try skipEndTag(name) }
    case "integer", "real", "date", "data":
      guard !isEmpty else { throw PropertyListFlaw("has an empty <\(name)>") }
      while let next, next != UInt8(ascii: "<") { index += 1 }
      try skipEndTag(name)
    default:
      throw PropertyListFlaw("has an element that is unknown or misplaced")
    }
    return .other
  }

  private mutating func array(depth: Int) throws(PropertyListFlaw) -> [PropertyListValue] {
    try checkDepth(depth)
    var values: [PropertyListValue] = []
    try skipSpaceAndComments()
    while !isAt("</") {
      values.append(try element(depth: depth + 1))
      try skipSpaceAndComments()
    }
    try skipEndTag("array")
    return values
  }

  private mutating func dictionary(depth: Int) throws(PropertyListFlaw) -> [String: PropertyListValue] {
    try checkDepth(depth)
    var values: [String: PropertyListValue] = [:]
    try skipSpaceAndComments()
    while !isAt("</") {
      let start = index
      let (name, isEmpty) = try startTag()
      guard name == "key" else { throw PropertyListFlaw("has a value without a key") }
      if isEmpty { emptyKeys.append(start..<index) }
      let key = isEmpty ? "" : try text(in: name)
      try skipSpaceAndComments()
      guard !isAt("</dict"), !isAt("<key") else {
        throw PropertyListFlaw("has the key \(CofferTrust.quoted(key)) without a value")
      }
      try values.add(try element(depth: depth + 1), forKey: key)
      try skipSpaceAndComments()
    }
    try skipEndTag("dict")
    return values
  }

  private func checkDepth(_ depth: Int) throws(PropertyListFlaw) {
    guard depth <= ScannedPropertyList.maximumDepth else {
      throw PropertyListFlaw("is nested deeper than \(ScannedPropertyList.maximumDepth)")
    }
  }

  private mutating func startTag() throws(PropertyListFlaw) -> (name: String, isEmpty: Bool) {
    guard skip("<"), let name = name() else {
      throw PropertyListFlaw("has text, a declaration or a processing instruction where an element is expected")
    }
    skipSpace()
    let isEmpty = skip("/")
    guard skip(">") else { throw PropertyListFlaw("has a malformed element, or one with attributes") }
    return (name, isEmpty)
  }

  private mutating func skipEndTag(_ name: String) throws(PropertyListFlaw) {
    guard skip("</" + name), skipSpace(), skip(">") else {
      throw PropertyListFlaw("has no </\(name)> where it is expected")
    }
  }

  // MARK: Text

  /// Returns the text up to the end tag of the element `name`.
  private mutating func text(in name: String) throws(PropertyListFlaw) -> String {
    var text: [UInt8] = []
    while let next {
      if skip("<![CDATA[") {
        text += try skip(through: "]]>")
      } else if next == UInt8(ascii: "<") {
        break
      } else if skip("&") {
        text += String(try reference()).utf8
      } else {
        guard !isAt("]]>") else { throw PropertyListFlaw("has ]]> in a text") }
        text.append(next)
        index += 1
      }
    }
    try skipEndTag(name)
    // Foundation drops it, so that different texts become equal.
    guard !text.starts(with: "\u{FEFF}".utf8) else { throw PropertyListFlaw("has a text with a byte order mark") }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the character of a reference, such as `&amp;` or `&#45;`, of which the `&` has been skipped.
  private mutating func reference() throws(PropertyListFlaw) -> Unicode.Scalar {
    for (name, scalar) in Self.entities where skip(name) { return scalar }
    guard skip("#") else { throw PropertyListFlaw("has an unknown entity") }
    let radix = skip("x") ? 16 : 10
    let start = index
    while let next, Character(Unicode.Scalar(next)).isHexDigit { index += 1 }
    // Foundation reads no more than eight digits.
    guard (1...8).contains(index - start),
      let number = UInt32(String(decoding: bytes[start..<index], as: UTF8.self), radix: radix), number != 0,
      let scalar = Unicode.Scalar(number), skip(";")
    else { throw PropertyListFlaw("has a reference to a character that does not exist") }
    return scalar
  }

  private static let entities: [(String, Unicode.Scalar)] = [
    ("lt;", "<"), ("gt;", ">"), ("amp;", "&"), ("apos;", "'"), ("quot;", "\""),
  ]

  /// Skips white space and comments.
  ///
  /// A comment ends at the first `-->` after its `<!--`, the hyphens of which do not count, and does not contain `--`.
  /// Empty comments are rejected, because before the `plist` element Foundation reads past their end, and comments that
  /// start with `>` or `->`, because other parsers end them there.
  private mutating func skipSpaceAndComments() throws(PropertyListFlaw) {
    while skipSpace(), skip("<!--") {
      guard !isAt("-->"), !isAt(">"), !isAt("->") else {
        throw PropertyListFlaw("has a comment that is empty or starts with > or ->")
      }
      _ = try skip(through: "--")
      guard skip(">") else { throw PropertyListFlaw("has -- in a comment") }
    }
  }

  // MARK: Bytes

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func isAt(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  /// Returns true and skips `text` if it comes next.
  private mutating func skip(_ text: String) -> Bool {
    guard isAt(text) else { return false }
    index += text.utf8.count
    return true
  }

  /// Skips everything through the next `end`, and returns what is before it.
  private mutating func skip(through end: String) throws(PropertyListFlaw) -> ArraySlice<UInt8> {
    let start = index
    while !skip(end) {
      guard index < bytes.count else { throw PropertyListFlaw("ends before \(end)") }
      index += 1
    }
    return bytes[start..<(index - end.utf8.count)]
  }

  /// Skips white space, and returns true in any case.
  @discardableResult private mutating func skipSpace() -> Bool {
    while let next, " \t\r\n".utf8.contains(next) { index += 1 }
    return true
  }

  /// Returns the lower-case letters that come next; nil if there are none.
  private mutating func name() -> String? {
    let start = index
    while let next, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next) { index += 1 }
    return index == start ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
  }
}
