internal import CofferPlatform
package import CofferSystem

/// Receives what a source has.
package struct EntrySink {
  /// Receives a line for `coffer`. Throws if nobody reads it any more.
  private let write: (ImportLine) throws -> Void
  /// The source as `coffer import` names it.
  private let source: String
  /// Whether only folders are wanted: no name and no value leaves the reader then.
  private let foldersOnly: Bool
  /// How often each identifier was used.
  private var identifiers: [String: Int] = [:]
  /// How many bytes the further items may have.
  private(set) var room = Int.max

  package init(source: String, foldersOnly: Bool = false, write: @escaping (ImportLine) throws -> Void) {
    self.source = source
    self.foldersOnly = foldersOnly
    self.write = write
  }

  /// Limits the sum of all items to 64 MiB and 32 times the size of the file that they come from. A file may name the
  /// same contents again and again, each time within the limits of an entry.
  mutating func limitItems(ofFileWith byteCount: Int) { room = Self.basicByteCount + 32 * byteCount }

  private static let basicByteCount = 64 << 20

  /// Announces the number of entries.
  func count(_ count: Int) throws {
    var line = ImportLine()
    line.count = count
    try write(line)
  }

  /// Takes an entry, of which each part becomes an item.
  mutating func add(_ entry: ForeignEntry) throws {
    let wanted = entry.identifier ?? entry.derivedIdentifier
    let uses = identifiers[wanted, default: 0] + 1
    identifiers[wanted] = uses
    // A source without identifiers may have equal entries; their order tells them apart.
    for line in entry.lines(source: source, identifier: uses == 1 ? wanted : "\(wanted)-\(uses)") { try emit(line) }
  }

  /// Takes an item that is written as Coffer stores it.
  mutating func add(_ line: ImportLine) throws {
    guard let itemClass = line.itemClass else { return }
    // Only the item: a file must not ask, skip or count in the name of its reader.
    try emit(
      ImportLine(
        itemClass, folder: line.folder ?? "", attributes: line.attributes ?? [:], value: line.bytes, entry: line.entry))
  }

  /// The largest sum of an item's attributes, of its folder's name and of its entry's.
  private static let maximumNameByteCount = 4 << 20

  /// Writes an item, unless it is larger than an item of Coffer can be. So the line is not too long for `coffer`
  /// either.
  private mutating func emit(_ line: ImportLine) throws {
    let byteCount = line.value?.utf8.count ?? line.valueBase64?.count ?? 0
    var nameByteCount = (line.folder?.utf8.count ?? 0) + (line.entry?.utf8.count ?? 0)
    for attribute in (line.attributes ?? [:]).values {
      switch attribute {
      case .text(let text): nameByteCount += text.utf8.count
      case .data(let bytes): nameByteCount += bytes.count
      case .number, .date: break
      }
    }
    let name = ["labl", "svce", "srvr"].lazy.compactMap { line.text($0) }.first { !$0.isEmpty } ?? ""
    guard byteCount <= DecryptionProgram.maximumByteCount else {
      return try skip(name, because: "its value has more than 16 MiB")
    }
    guard nameByteCount <= Self.maximumNameByteCount else {
      return try skip(name, because: "its names have more than 4 MiB")
    }
    guard !Self.hasLoneSurrogate(line) else {
      return try skip(name, because: "it has half of a character (a lone surrogate); correct it, and export again")
    }
    room -= byteCount + nameByteCount
    guard room >= 0 else {
      throw ImportError.tooMuch(
        "the items of the file are more than 32 times as large as the file: it names the same contents again and again")
    }
    guard foldersOnly, let itemClass = line.itemClass else { return try write(line) }
    try write(ImportLine(itemClass, folder: line.folder ?? "", attributes: [:], value: [], entry: nil))
  }

  private static func hasLoneSurrogate(_ line: ImportLine) -> Bool {
    let texts = [line.value, line.folder, line.entry] + ["labl", "svce", "srvr", "acct", "icmt"].map { line.text($0) }
    return texts.contains { $0?.utf8.hasText(JSONValue.loneSurrogate) == true }
  }

  /// Reports something that cannot be imported, and why.
  func skip(_ name: String, because reason: String) throws {
    var line = ImportLine()
    let shown = name.replacing(JSONValue.loneSurrogate, with: "\u{FFFD}")
    line.name = String(shown.unicodeScalars.prefix(1_000))
    line.skipped = reason
    try write(line)
  }
}

/// A program or a format from which entries are read. It knows nothing of vaults.
package protocol EntrySource {
  /// Reads all entries, in an order that is the same each time.
  ///
  /// - Throws: ``ImportError`` if the whole source cannot be read, and the errors of the sink.
  func read(into sink: inout EntrySink) throws
}

/// What a source needs beside its path.
package struct SourceOptions {
  /// Whether only names and folders are wanted, without decrypting anything.
  let namesOnly: Bool
  /// The file with the secret keys of age.
  let identities: String?
  /// The service of variables.
  let service: String?
  /// Returns the password of a protected file.
  let password: () throws -> [UInt8]

  package init(
    namesOnly: Bool = false, identities: String? = nil, service: String? = nil,
    password: @escaping () throws -> [UInt8]
  ) {
    self.namesOnly = namesOnly
    self.identities = identities
    self.service = service
    self.password = password
  }
}

/// The sources by the names that `coffer import` takes.
package enum SourceCatalog {
  /// Returns a source; nil for an unknown name. `contents` is read in place of the file at the path, which then only
  /// names it.
  package static func source(
    named name: String, path: String, _ contents: [UInt8]? = nil, _ options: SourceOptions
  ) -> (any EntrySource)? {
    let input = contents.map(SourceInput.bytes) ?? SourceInput.file(path)
    return switch name {
    case "pass", "gopass": PasswordStoreSource.gpg(path, namesOnly: options.namesOnly)
    case "passage": PasswordStoreSource.age(path, identities: options.identities, namesOnly: options.namesOnly)
    case "keepassxc" where path.lowercased().hasSuffix(".csv"): CSVSource(input)
    case "keepassxc": KeePassXMLSource(input)
    case "bitwarden": BitwardenSource(input, password: options.password)
    case "csv": CSVSource(input)
    case "cxf": CredentialExchangeSource(input)
    case "1password": OnePasswordSource(input)
    case "secret-service": SecretServiceSource()
    case "security-dump": SecurityDumpSource(input)
    case "dotenv":
      DotenvSource(input, service: options.service ?? DotenvSource.service(of: path, isFile: contents == nil))
    case "json": CofferExportSource(input)
    default: nil
    }
  }
}
