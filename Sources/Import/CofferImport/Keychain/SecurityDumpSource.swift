internal import CofferSystem

/// The output of `security dump-keychain -d` of macOS.
package struct SecurityDumpSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  package func read(into sink: inout EntrySink) throws {
    let bytes = try input.contents(for: &sink)
    var item: DumpedItem?
    var hasItem = false
    var isData = false
    var number = 0
    var start = 0
    while start <= bytes.count {
      let line = bytes[start...].prefix { $0 != UInt8(ascii: "\n") }
      start = line.endIndex + 1
      number += 1
      if isData {
        isData = false
        item?.value = DumpedItem.bytes(line)
      } else if line.starts(with: "keychain: ".utf8) {
        try item?.add(to: &sink)
        item = nil
      } else if line.starts(with: "class: ".utf8) {
        try item?.add(to: &sink)
        item = DumpedItem(itemClass: line.dropFirst(7), line: number)
        hasItem = true
      } else if line.elementsEqual("data:".utf8) {
        isData = item != nil
      } else if line.starts(with: "    ".utf8) {
        item?.add(attribute: line.dropFirst(4))
      }
    }
    try item?.add(to: &sink)
    guard hasItem else {
      throw ImportError.malformed("output of security dump-keychain", "it has no line that begins with \"class:\"")
    }
  }
}

/// An item in the output of `security dump-keychain`.
struct DumpedItem {
  private let itemClass: String?
  private let line: Int
  private var attributes: [String: ImportLine.Attribute] = [:]
  private var created: String?
  private var modified: String?
  /// Nil if the output does not have it.
  var value: [UInt8]?

  init(itemClass: ArraySlice<UInt8>, line: Int) {
    let name = String(decoding: itemClass, as: UTF8.self)
    self.itemClass = ["\"genp\"": "generic-password", "\"inet\"": "internet-password"][name]
    self.line = line
  }

  /// The attributes that Coffer has of both classes.
  private static let texts: Set = ["acct", "svce", "srvr", "sdmn", "path", "desc", "icmt", "labl", "atyp"]
  private static let numbers: Set = ["port", "crtr", "type", "invi", "nega"]

  /// Takes a line such as `"acct"<blob>="jane"` or `0x00000007 <blob>="Label"`.
  mutating func add(attribute line: ArraySlice<UInt8>) {
    guard let open = line.firstIndex(of: UInt8(ascii: "<")), let equals = line.firstIndex(of: UInt8(ascii: "=")),
      open < equals
    else { return }
    let name = line[..<open].filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: " ") }
    let written = line[line.index(after: equals)...]
    // Label, as the kind of attribute without a name that macOS writes.
    let code = name.elementsEqual("0x00000007".utf8) ? "labl" : String(decoding: name, as: UTF8.self)
    guard !written.elementsEqual("<NULL>".utf8), let bytes = Self.bytes(written) else { return }
    if Self.texts.contains(code) {
      if let text = String(validating: bytes, as: UTF8.self) {
        attributes[code] = .text(text)
      } else {
        attributes[code] = .data(bytes)
      }
    } else if code == "gena" {
      attributes[code] = .data(bytes)
    } else if code == "ptcl", let text = String(validating: bytes, as: UTF8.self) {
      attributes[code] = .text(text)
    } else if Self.numbers.contains(code) {
      // A number of four bytes, written as such or as characters.
      guard bytes.count <= 4 else { return }
      attributes[code] = .number(bytes.reduce(0) { $0 << 8 | Int64($1) })
    } else if code == "cdat" {
      created = Self.date(bytes)
    } else if code == "mdat" {
      modified = Self.date(bytes)
    }
  }

  /// Reads what security prints for bytes: text in quotes, or hexadecimal digits with a copy in quotes.
  static func bytes(_ written: ArraySlice<UInt8>) -> [UInt8]? {
    let quote = UInt8(ascii: "\"")
    if written.first == quote, written.last == quote, written.count >= 2 {
      return Array(written.dropFirst().dropLast())
    }
    guard written.starts(with: "0x".utf8) else { return written.isEmpty ? [] : nil }
    return written.dropFirst(2).prefix { $0 != UInt8(ascii: " ") }.fromHexadecimal
  }

  /// `20140221190248Z` as ISO 8601.
  private static func date(_ bytes: [UInt8]) -> String? {
    let text = bytes.prefix(14).map { Character(UnicodeScalar($0)) }
    guard text.count == 14, text.allSatisfy(\.isNumber) else { return nil }
    func part(_ range: Range<Int>) -> String { String(text[range]) }
    return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z"
  }

  func add(to sink: inout EntrySink) throws {
    guard let itemClass else {
      return try sink.skip(
        "line \(line)",
        because: "it is a key, a certificate or a note of the system; export these with: security export")
    }
    let names = ["svce", "srvr", "acct", "labl"].compactMap { code -> String? in
      if case .text(let text)? = self.attributes[code] { text } else { nil }
    }
    let name = names.isEmpty ? "line \(line)" : names.joined(separator: ", ")
    guard let value else {
      return try sink.skip(name, because: "the output has no value; run security dump-keychain with -d, and allow it")
    }
    var attributes = self.attributes
    if attributes["icmt"] == nil {
      var origin = EntryOrigin(source: "security-dump", entry: name)
      origin.created = created
      origin.modified = modified
      attributes["icmt"] = .text(origin.comment)
    }
    try sink.add(ImportLine(itemClass, folder: "", attributes: attributes, value: value, entry: "\(line)"))
  }
}
