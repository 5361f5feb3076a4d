internal import CofferPlatform
internal import CofferSystem

/// The values that texts of KeePassXC take from other entries: `{REF:P@I:…}` is the password of the entry with that
/// identifier. They are found as KeePassXC finds them: by equal texts, the first entry of the document first.
struct KeePassReferences {
  /// By what an entry is found: the letter of a field, and its text.
  private struct Search: Hashable {
    let field: Unicode.Scalar
    let text: String
  }

  private struct Reference {
    let wanted: Unicode.Scalar
    let search: Search
  }

  private static let names: [String: Unicode.Scalar] = [
    "Title": "T", "UserName": "U", "Password": "P", "URL": "A", "Notes": "N",
  ]
  /// The letter of all other fields, of which any may have the text.
  private static let otherField: Unicode.Scalar = "O"
  private static let maximumCount = 100_000
  private static let maximumDepth = 10
  private static let maximumStepCount = 10_000
  /// For all values of an entry together: a small file must not become a large one.
  static let maximumByteCount = 65_536
  /// For all texts of a document together: the bytes that are read to resolve their references.
  private static let maximumReadByteCount = 64 << 20
  /// What a reference costs beside the text that it leads to, in bytes that are read in the same time.
  private static let stepByteCount = 512

  /// The fields of each entry that is referred to; nil for one that was not found.
  private var found: [Search: [Unicode.Scalar: [UInt8]]?] = [:]
  private var readByteCount = 0

  /// Finds the references in a document, and then the entries that these name.
  static func read(_ file: borrowing InputFile) throws -> KeePassReferences {
    var references = KeePassReferences()
    try entries(of: file) { try references.collect(from: $0) }
    if !references.found.isEmpty { try entries(of: file) { references.fill(from: $0) } }
    return references
  }

  private static func entries(of file: borrowing InputFile, _ body: @escaping (XMLElement) throws -> Void) throws {
    try XMLReader.read(file) { element, ancestors in
      guard ancestors.contains(where: { $0.name == "Entry" }) || element.name == "Entry" else { return false }
      // References in earlier versions stay as they are.
      guard element.name == "Entry" else { return element.name != "History" && element.name != "Binary" }
      if ancestors.last?.name == "Group" { try body(element) }
      return false
    }
  }

  private mutating func collect(from entry: XMLElement) throws {
    for string in entry.all("String") {
      var rest = string["Value"]?.bytes[...] ?? []
      while let next = Self.next(in: rest) {
        found.updateValue(nil, forKey: next.reference.search)
        rest = rest[next.range.upperBound...]
      }
    }
    guard found.count <= Self.maximumCount else {
      throw ImportError.tooMuch("the entries refer to more than \(Self.maximumCount) others", of: "database")
    }
  }

  private mutating func fill(from entry: XMLElement) {
    var fields: [Unicode.Scalar: [UInt8]] = [:]
    var searches: [Search] = []
    for string in entry.all("String") {
      guard let key = string.text("Key"), let value = string["Value"] else { continue }
      let field = Self.names[key] ?? Self.otherField
      if field != Self.otherField { fields[field] = value.bytes }
      searches.append(Search(field: field, text: value.text))
    }
    // As references write it.
    if let identifier = entry.text("UUID").flatMap({ Data(base64Encoded: $0) })?.hexadecimal.uppercased() {
      fields["I"] = Array(identifier.utf8)
      searches.append(Search(field: "I", text: identifier))
    }
    for search in searches {
      guard let known = found[search], known == nil else { continue }
      found.updateValue(fields, forKey: search)
    }
  }
}

extension KeePassReferences {
  /// Whether a text refers to another entry.
  static func isIn(_ text: [UInt8]) -> Bool { next(in: text[...]) != nil }

  /// Returns a text with the values in place of its references; nil if one leads to no entry, to itself, or too far, or
  /// if the text then has more than `limit` bytes. Throws if the references of the document lead to more than any
  /// person follows.
  mutating func resolve(_ text: [UInt8], limit: Int) throws(ImportError) -> [UInt8]? {
    var result: [UInt8] = []
    var stepCount = 0
    return try append(text, to: &result, depth: 0, &stepCount) && result.count <= limit ? result : nil
  }

  private mutating func append(
    _ text: [UInt8], to result: inout [UInt8], depth: Int, _ stepCount: inout Int
  ) throws(ImportError) -> Bool {
    readByteCount += text.count + Self.stepByteCount
    guard readByteCount <= Self.maximumReadByteCount else {
      throw ImportError.tooMuch(
        "the references of the entries lead to more than \(Self.maximumReadByteCount.byteCountText)", of: "database")
    }
    var rest = text[...]
    while let next = Self.next(in: rest) {
      stepCount += 1
      guard depth < Self.maximumDepth, stepCount <= Self.maximumStepCount,
        let fields = found[next.reference.search] ?? nil, let value = fields[next.reference.wanted]
      else { return false }
      result += rest[..<next.range.lowerBound]
      guard try append(value, to: &result, depth: depth + 1, &stepCount) else { return false }
      rest = rest[next.range.upperBound...]
    }
    result += rest
    return result.count <= Self.maximumByteCount
  }

  /// The next reference of a text, such as `{REF:U@T:Mail}`, and where it is.
  private static func next(in text: ArraySlice<UInt8>) -> (range: Range<Int>, reference: Reference)? {
    var start = text.startIndex
    while let brace = text[start...].firstIndex(of: UInt8(ascii: "{")) {
      start = brace + 1
      let head = Array(text[start...].prefix(8))
      guard head.count == 8, String(decoding: head[..<3], as: UTF8.self).uppercased() == "REF",
        head[3] == UInt8(ascii: ":"), head[5] == UInt8(ascii: "@"), head[7] == UInt8(ascii: ":")
      else { continue }
      // What does not end here ends nowhere later either.
      guard let end = text[(start + 8)...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
      let field = letter(head[6])
      let name = String(decoding: text[(start + 8)..<end], as: UTF8.self)
      let search = Search(field: field, text: field == "I" ? name.uppercased() : name)
      return (brace..<end + 1, Reference(wanted: letter(head[4]), search: search))
    }
    return nil
  }
  /// A letter of a field, which may be small.
  private static func letter(_ byte: UInt8) -> Unicode.Scalar {
    let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    return Unicode.Scalar(isSmall ? byte - 32 : byte)
  }
}
