internal import CExpat
internal import CofferPlatform
internal import CofferSystem
internal import CofferZlib

/// The XML export of KeePassXC (and of KeePass 2): `keepassxc-cli export --format xml`.
package struct KeePassXMLSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  private static let maximumFileByteCount = 1 << 30

  package func read(into sink: inout EntrySink) throws {
    let file = try input.open(limit: Self.maximumFileByteCount)
    try file.checkIsNotUTF16()
    guard try !file.bytes(at: 0, count: min(file.byteCount, 4)).elementsEqual([0x03, 0xd9, 0xa2, 0x9a]) else {
      throw ImportError(
        "the file is a database of KeePass, which only its own programs open",
        recoverySuggestion: "export it with: keepassxc-cli export --format xml DATABASE > export.xml")
    }
    sink.limitItems(ofFileWith: file.byteCount)
    let document = KeePassDocument(sink, try KeePassReferences.read(file))
    try XMLReader.read(file) { element, ancestors in try document.take(element, in: ancestors) }
    guard document.hasRoot else {
      throw ImportError.malformed("export of KeePassXC", "the element KeePassFile/Root is missing")
    }
    sink = document.sink
  }
}

/// What is known of a document while it is read.
private final class KeePassDocument {
  private(set) var sink: EntrySink
  private(set) var hasRoot = false
  /// The attachments, by their numbers.
  private var binaries: [String: [UInt8]] = [:]
  private var binaryByteCount = 0
  private var recycleBin: String?
  private var references: KeePassReferences

  private static let maximumBinaryByteCount = 512 << 20

  init(_ sink: EntrySink, _ references: KeePassReferences) {
    self.sink = sink
    self.references = references
  }

  /// Takes an element that has ended. Returns whether its parent needs it.
  func take(_ element: XMLElement, in ancestors: [XMLElement]) throws -> Bool {
    let path = ancestors.dropFirst().map(\.name)
    switch element.name {
    case "Root" where path == ["KeePassFile"]:
      hasRoot = true
      return false
    case "Binary" where path == ["KeePassFile", "Meta", "Binaries"]:
      try add(binary: element)
      return false
    case "RecycleBinUUID" where path == ["KeePassFile", "Meta"]:
      recycleBin = element.text
      return false
    case "Entry" where path.last == "Group":
      let entry = try KeePassEntry(element, binaries: binaries, references: &references, room: sink.room)
      try add(entry, in: ancestors.filter { $0.name == "Group" })
      return false
    case "Notes" where path.last == "Group":
      if let group = ancestors.last, !element.bytes.isEmpty {
        try add(KeePassEntry(notes: element.bytes, of: group), in: ancestors.filter { $0.name == "Group" })
      }
      return false
    case "Group": return false
    case "Name", "UUID": return true
    // Nothing else of a group is used.
    default: return path.contains("Entry")
    }
  }

  private func add(binary element: XMLElement) throws {
    guard let number = element.attributes["ID"], let bytes = Data(base64Encoded: element.text) else { return }
    var contents: [UInt8]? = [UInt8](bytes)
    if element.attributes["Compressed"]?.lowercased() == "true" {
      contents = Inflation.unpack([UInt8](bytes), .gzip, limit: DecryptionProgram.maximumByteCount)
    }
    // An attachment that cannot be unpacked is reported with its entry.
    guard let contents else { return }
    binaryByteCount += contents.count
    guard binaryByteCount <= Self.maximumBinaryByteCount else {
      throw ImportError.tooMuch(
        "the attachments have more than \(Self.maximumBinaryByteCount.byteCountText)", of: "database")
    }
    binaries[number] = contents
  }

  private func add(_ found: KeePassEntry, in groups: [XMLElement]) throws {
    // The outermost group is the database.
    let folder = groups.dropFirst().map { $0.text("Name") ?? "" }
    let name = (folder + [found.entry.title]).joined(separator: "/")
    if let recycleBin, groups.contains(where: { $0.text("UUID") == recycleBin }) {
      return try sink.skip(name, because: "it is in the recycle bin")
    }
    if found.isProtected {
      return try sink.skip(name, because: "its values are encrypted; export the file with KeePassXC")
    }
    for attachment in found.missingAttachments {
      try sink.skip(
        "\(name): \(attachment)", because: "the file has no such attachment, one that is too large, or too many")
    }
    for field in found.unresolved {
      try sink.skip(
        "\(name): \(field)", because: "it refers to an entry that the file does not have; the reference is imported")
    }
    var entry = found.entry
    entry.folder = folder
    try sink.add(entry)
  }
}

/// Reads an XML document element by element, with limits. It refuses a document type, and with it all entities but the
/// five of XML: no document grows when it is read.
@safe final class XMLReader {
  private static let maximumDepth = 256
  private static let maximumTextByteCount = 64 << 20
  private static let maximumChildCount = 100_000

  /// Whether a completed element stays in its parent. It receives the element and what contains it, from the outermost.
  private let ended: (XMLElement, [XMLElement]) throws -> Bool
  private var open = [XMLElement.document()]
  private var failure: (any Error)?
  private var parser: XML_Parser?

  private init(_ ended: @escaping (XMLElement, [XMLElement]) throws -> Bool) { self.ended = ended }

  /// Reads a file, and calls `ended` with each element that has ended.
  static func read(
    _ file: borrowing InputFile, _ ended: @escaping (XMLElement, [XMLElement]) throws -> Bool
  ) throws {
    try XMLReader(ended).run(file)
  }

  private func run(_ file: borrowing InputFile) throws {
    guard let parser = unsafe XML_ParserCreate("UTF-8") else {
      throw ImportError("the memory is full", recoverySuggestion: "close other programs, and import again")
    }
    defer { unsafe XML_ParserFree(parser) }
    unsafe self.parser = unsafe parser
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let name = unsafe name else { return }
        var found: [String: String] = [:]
        var place = unsafe attributes
        while let key = unsafe place?[0], let value = unsafe place?[1] {
          unsafe found[String(cString: key)] = unsafe String(cString: value)
          unsafe place = place?.advanced(by: 2)
        }
        unsafe XMLReader.reader(context)?.begin(String(cString: name), found)
      }, { context, _ in unsafe XMLReader.reader(context)?.end() })
    unsafe XML_SetCharacterDataHandler(parser) { context, text, count in
      unsafe XMLReader.reader(context)?.add(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
    unsafe XML_SetDoctypeDeclHandler(
      parser,
      { context, _, _, _, _ in
        unsafe XMLReader.reader(context)?.stop(
          ImportError.malformed("export of KeePassXC", "it declares a document type, which could expand without end"))
      }, nil)
    var offset = 0
    while true {
      let chunk = try file.bytes(at: offset, count: min(1 << 20, file.byteCount - offset))
      offset += chunk.count
      let isLast = chunk.isEmpty || offset >= file.byteCount
      let status = unsafe chunk.withUnsafeBytes { bytes in
        unsafe XML_Parse(
          parser, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), isLast ? 1 : 0)
      }
      if let failure { throw failure }
      guard status == XML_STATUS_OK else {
        let line = unsafe XML_GetCurrentLineNumber(parser)
        throw ImportError.malformed("export of KeePassXC", "line \(line) is no well-formed XML")
      }
      if isLast { return }
    }
  }

  private static func reader(_ context: UnsafeMutableRawPointer?) -> XMLReader? {
    unsafe context.map { unsafe Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func begin(_ name: String, _ attributes: [String: String]) {
    guard failure == nil else { return }
    guard open.count <= Self.maximumDepth else {
      return stop(ImportError.malformed("export of KeePassXC", "it has more than \(Self.maximumDepth) levels"))
    }
    open.append(open[open.count - 1].begin(name, attributes))
  }

  private func end() {
    guard failure == nil, let element = open.popLast(), let parent = open.last else { return }
    do {
      guard try ended(element, open) else { return }
      guard parent.children.count < Self.maximumChildCount else {
        throw ImportError.malformed("export of KeePassXC", "an element has more than \(Self.maximumChildCount) parts")
      }
      parent.keep(element)
    } catch {
      stop(error)
    }
  }

  private func add(_ text: UnsafeRawBufferPointer) {
    guard failure == nil, let element = open.last else { return }
    guard element.bytes.count + text.count <= Self.maximumTextByteCount else {
      return stop(
        ImportError.malformed(
          "export of KeePassXC", "a text has more than \(Self.maximumTextByteCount.byteCountText)"))
    }
    unsafe element.append(text)
  }

  private func stop(_ error: any Error) {
    failure = error
    if let parser = unsafe parser { _ = unsafe XML_StopParser(parser, 0) }
  }
}

/// An element of an XML document, with what was kept of its contents.
final class XMLElement {
  let name: String
  let attributes: [String: String]
  fileprivate(set) var bytes: [UInt8] = []
  fileprivate(set) var children: [XMLElement] = []

  fileprivate init(name: String, attributes: [String: String]) {
    self.name = name
    self.attributes = attributes
  }

  /// The text, which expat has checked to be UTF-8.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The first child with a name.
  subscript(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// The text of the first child with a name.
  func text(_ name: String) -> String? { self[name]?.text }

  /// The children with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
}

extension XMLElement {
  /// Begins a child.
  func begin(_ name: String, _ attributes: [String: String]) -> XMLElement {
    XMLElement(name: name, attributes: attributes)
  }

  func append(_ text: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: text) }

  func keep(_ child: XMLElement) { children.append(child) }

  /// The element that contains the document's own.
  static func document() -> XMLElement { XMLElement(name: "", attributes: [:]) }
}
