internal import CofferPlatform
internal import CofferSystem
internal import CofferZlib

/// The export of 1Password 8, a 1pux archive: JSON, and the files that belong to its items.
package struct OnePasswordSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  private static let format = "1pux archive"

  package func read(into sink: inout EntrySink) throws {
    let archive = try ZipArchive.open(input)
    sink.limitItems(ofFileWith: archive.byteCount)
    guard let member = archive.members.first(where: { $0.name == "export.data" }) else {
      throw ImportError.malformed(Self.format, "export.data is missing")
    }
    // Zeros pack a thousand times better than any export.
    let limit = min(InputFile.textLimit, (4 << 20) + 32 * archive.byteCount)
    guard let bytes = try archive.contents(of: member, limit: limit) else {
      throw ImportError.malformed(Self.format, "export.data is damaged or too large")
    }
    let accounts = try JSONFile.value(bytes, what: Self.format)["accounts"]?.elements ?? []
    let vaults = accounts.flatMap { $0.list("vaults") }
    try sink.count(vaults.reduce(0) { $0 + ($1["items"]?.elements.count ?? 0) })
    let files = Dictionary(
      archive.members.compactMap { member in
        member.name.hasPrefix("files/")
          ? (member.name.dropFirst(6).split(separator: "_", maxSplits: 1).first.map(String.init) ?? "", member) : nil
      }, uniquingKeysWith: { first, _ in first })
    for vault in vaults {
      let name = vault["attrs"]?["name"]?.text ?? ""
      for (index, element) in vault.list("items").enumerated() {
        // Versions before 8.4 wrap each item, and list files beside them.
        let item = element["item"] ?? element
        guard item["details"] != nil || item["overview"] != nil else {
          let file = element["file"]?["attrs"]?["name"]?.text
          try sink.skip(
            "\(name)/\(file ?? "item \(index + 1)")",
            because: file == nil ? "it has neither details nor an overview" : "it is a file that belongs to no item")
          continue
        }
        var found = OnePasswordItem(item, vault: name)
        for document in found.documents {
          var contents: [UInt8]?
          if let member = files[document.id], found.entry.hasRoom(forAttachment: member.byteCount, within: sink.room) {
            contents = try archive.contents(of: member, limit: DecryptionProgram.maximumByteCount)
          }
          if let contents {
            found.entry.attachments.append(ForeignEntry.Attachment(name: document.name, contents: contents))
          } else {
            try sink.skip(
              "\(name)/\(found.entry.title): \(document.name)",
              because: "the archive has no such file, or one that is damaged or too large, or the entry has too many")
          }
        }
        try sink.add(found.entry)
      }
    }
  }
}

/// An item of 1Password: a login, a card, a document or one of twenty other categories, with sections of fields.
struct OnePasswordItem {
  var entry = ForeignEntry()
  /// The files of the item, by the identifiers that their names in the archive begin with.
  private(set) var documents: [(id: String, name: String)] = []

  init(_ item: JSONValue, vault: String) {
    let (overview, details) = (item["overview"], item["details"])
    entry.identifier = item["uuid"]?.text
    entry.folder = vault.isEmpty ? [] : [vault]
    entry.title = overview?["title"]?.text ?? ""
    entry.created = item["createdAt"]?.date
    entry.modified = item["updatedAt"]?.date
    entry.tags = (overview?["tags"]?.elements ?? []).compactMap(\.text)
    let main = overview?["url"]?.text
    let all = (overview?["urls"]?.elements ?? []).compactMap { $0["url"]?.text }
    entry.addresses = (main.map { [$0] } ?? []).filter { !$0.isEmpty } + all.filter { $0 != main && !$0.isEmpty }
    entry.notes = Array((details?["notesPlain"]?.text ?? "").utf8)
    entry.password = details?["password"]?.text.map { Array($0.utf8) }
    for field in details?["loginFields"]?.elements ?? [] { take(loginField: field) }
    for section in details?["sections"]?.elements ?? [] {
      for field in section.list("fields") { take(field, in: section.string("title")) }
    }
    if let document = details?["documentAttributes"] { take(file: document) }
    entry.history = details?["passwordHistory"]?.elements ?? []
    addRest(of: item)
  }

  private mutating func take(loginField field: JSONValue) {
    let value = field.string("value")
    switch field["designation"]?.text {
    case "username" where entry.username.isEmpty: entry.username = value
    case "password" where entry.password == nil: entry.password = Array(value.utf8)
    default:
      guard !value.isEmpty else { return }
      entry.addField(field.string("name"), value, isProtected: field["fieldType"] == .string("P"))
    }
  }

  private mutating func take(_ field: JSONValue, in section: String) {
    let title = field["title"]?.text ?? field.string("id")
    let name = section.isEmpty ? title : "\(section)/\(title)"
    // Sorted: the order of a dictionary differs in each run.
    for (kind, value) in (field["value"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) where !value.isEmpty {
      switch (kind, value) {
      case ("totp", .string(let text)) where entry.oneTimeCode == nil && text.hasPrefix("otpauth://"):
        entry.oneTimeCode = text
      case ("totp", .string(let text)) where entry.oneTimeCode == nil && entry.codeURL(ofSeed: text) != nil:
        entry.oneTimeCode = entry.codeURL(ofSeed: text)
      case ("file", _): take(file: value)
      case (_, .string(let text)):
        entry.addField(name, text, isProtected: kind == "concealed" || kind == "totp")
      default:
        // A date, an address or an SSH key: its own words, under its name.
        entry.fields.append(ForeignEntry.Field(name: "\(name) (\(kind))", value: value.sortedBytes, isProtected: true))
      }
    }
  }

  private mutating func take(file: JSONValue) {
    guard let id = file["documentId"]?.text else { return }
    documents.append((id, file["fileName"]?.text ?? id))
  }

  private mutating func addRest(of item: JSONValue) {
    var extra = item.removing(["uuid", "createdAt", "updatedAt", "details", "overview", "state", "favIndex"]).members
    if item["state"] != .string("active") { extra["state"] = item["state"] }
    if extra["trashed"] == .bool(false) { extra["trashed"] = nil }
    if let index = item["favIndex"], index != .integer(0) { extra["favIndex"] = index }
    // The category of a login is the usual one.
    if extra["categoryUuid"] == .string("001") { extra["categoryUuid"] = nil }
    let known: Set = ["loginFields", "notesPlain", "sections", "passwordHistory", "documentAttributes", "password"]
    if let rest = item["details"]?.removing(known), !rest.isEmpty { extra["details"] = rest }
    // The subtitle repeats the username, and the strength of the password is computed.
    let shown: Set = ["title", "subtitle", "url", "urls", "tags", "ps", "pbe", "pgrng"]
    if let rest = item["overview"]?.removing(shown), !rest.isEmpty { extra["overview"] = rest }
    entry.extra = extra.filter { !$0.value.isEmpty }
  }
}

/// A zip archive (APPNOTE 6.3): the names and sizes of its members, which are read one by one.
///
/// Only what exports contain is read: members that are stored or deflated, in one file, without encryption. The central
/// directory alone says what there is, and the sizes in it are limits for what is unpacked.
struct ZipArchive: ~Copyable {
  /// A file in the archive.
  struct Member: Equatable {
    let name: String
    let byteCount: Int
    fileprivate let packedByteCount: Int
    fileprivate let checksum: UInt32
    fileprivate let method: UInt16
    fileprivate let offset: Int
  }

  private static let maximumMemberCount = 65_535
  private static let maximumDirectoryByteCount = 16 << 20
  /// The largest ratio of a member's sizes: deflate cannot pack better than 1 to 1032.
  private static let maximumRatio = 1_032

  private let file: InputFile
  let members: [Member]

  var byteCount: Int { file.byteCount }

  private init(_ file: consuming InputFile, _ members: [Member]) {
    self.file = file
    self.members = members
  }

  /// Reads the directory of an archive.
  static func open(_ input: SourceInput) throws(ImportError) -> ZipArchive {
    let file = try input.open(limit: 4 << 30)
    let tail = try file.bytes(at: max(file.byteCount - 65_557, 0), count: min(file.byteCount, 65_557))
    guard let end = endRecord(in: tail) else { throw malformed("its end is missing") }
    let count = Int(tail.u16(end + 10))
    let (size, offset) = (Int(tail.u32(end + 12)), Int(tail.u32(end + 16)))
    guard count < maximumMemberCount, size <= maximumDirectoryByteCount, offset + size <= file.byteCount else {
      throw malformed("its directory is too long or not in it")
    }
    let directory = try file.bytes(at: offset, count: size)
    let members = try Self.members(directory, count: count, archiveByteCount: file.byteCount)
    return ZipArchive(file, members)
  }

  private static func malformed(_ detail: String) -> ImportError { .malformed("1pux archive", detail) }

  private static func endRecord(in tail: [UInt8]) -> Int? {
    guard tail.count >= 22 else { return nil }
    // A comment may follow, which says how long it is.
    return (0...(tail.count - 22)).reversed().first { place in
      tail.u32(place) == 0x0605_4b50 && place + 22 + Int(tail.u16(place + 20)) == tail.count
    }
  }

  private static func members(
    _ directory: [UInt8], count: Int, archiveByteCount: Int
  ) throws(ImportError) -> [Member] {
    var members: [Member] = []
    var names: Set<String> = []
    var place = 0
    for _ in 0..<count {
      guard place + 46 <= directory.count, directory.u32(place) == 0x0201_4b50 else {
        throw malformed("its directory is damaged")
      }
      let nameCount = Int(directory.u16(place + 28))
      let next = place + 46 + nameCount + Int(directory.u16(place + 30)) + Int(directory.u16(place + 32))
      guard next <= directory.count,
        let name = String(validating: directory[(place + 46)..<(place + 46 + nameCount)], as: UTF8.self)
      else { throw malformed("its directory is damaged") }
      let member = Member(
        name: name, byteCount: Int(directory.u32(place + 24)), packedByteCount: Int(directory.u32(place + 20)),
        checksum: directory.u32(place + 16), method: directory.u16(place + 10), offset: Int(directory.u32(place + 42)))
      guard directory.u16(place + 8) & 1 == 0, member.method == 0 || member.method == 8 else {
        throw malformed("a member is encrypted or packed in an unknown way")
      }
      guard member.offset + member.packedByteCount <= archiveByteCount,
        member.byteCount <= max(member.packedByteCount, 1) * maximumRatio,
        member.method == 8 || member.byteCount == member.packedByteCount
      else { throw malformed("the sizes of a member contradict each other") }
      // Names are only compared, and never become paths; those that would leave a folder are still refused.
      guard !name.split(separator: "/").contains(".."), !name.hasPrefix("/"), names.insert(name).inserted else {
        throw malformed("a member has a name that is used twice or leads out of the archive")
      }
      members.append(member)
      place = next
    }
    return members
  }

  /// Returns the contents of a member; nil if they are damaged or more than `limit`.
  func contents(of member: Member, limit: Int) throws(ImportError) -> [UInt8]? {
    // Deflate never makes contents much larger.
    guard member.byteCount <= limit, member.packedByteCount <= limit + 65_536 else { return nil }
    let header = try file.bytes(at: member.offset, count: 30)
    guard header.count == 30, header.u32(0) == 0x0403_4b50 else { return nil }
    let start = member.offset + 30 + Int(header.u16(26)) + Int(header.u16(28))
    let packed = try file.bytes(at: start, count: member.packedByteCount)
    guard packed.count == member.packedByteCount else { return nil }
    let contents = member.method == 0 ? packed : Inflation.unpack(packed, .raw, limit: member.byteCount)
    guard let contents, contents.count == member.byteCount, Inflation.checksum(of: contents) == member.checksum else {
      return nil
    }
    return contents
  }
}

extension [UInt8] {
  /// A little-endian number of two bytes.
  fileprivate func u16(_ place: Int) -> UInt16 { UInt16(self[place]) | UInt16(self[place + 1]) << 8 }

  /// A little-endian number of four bytes.
  fileprivate func u32(_ place: Int) -> UInt32 { UInt32(u16(place)) | UInt32(u16(place + 2)) << 16 }
}
