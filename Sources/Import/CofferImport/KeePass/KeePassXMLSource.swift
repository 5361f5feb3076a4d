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
    case "Group": return false
    case "Name", "UUID": return true
    // Only the name and the identifier of a group are used.
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
      throw ImportError(
        "the attachments have more than \(Self.maximumBinaryByteCount.byteCountText)",
        recoverySuggestion: "export the database in several parts")
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
