internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// An import from its first line to its report. The items of an entry are written together, and several entries in one
/// transaction: one that is interrupted has imported whole entries.
final class ImportRun {
  private static let batchItemCount = 200
  private static let batchByteCount = 8 << 20
  /// The most that an entry may have, because its items are written together.
  private static let maximumItemCount = 10_000
  private static let maximumByteCount = 1 << 30

  private let mapping: FolderMapping
  /// The full name of the group of items for which the mapping names none.
  private let defaultGroup: String?
  private let importer: ItemImporter
  private let showsItems: Bool
  private let meter = CountMeter("importing", "entries")
  private var report: ImportReport
  private var batch: [ImportedItem] = []
  private var byteCount = 0
  private var entry: String?
  /// The place of the entry's first item in the batch.
  private var entryStart = 0
  /// Whether one-time codes become attributes of their passwords: an export of Coffer has everything as it was.
  private let joinsOneTimeCodes: Bool
  /// The folders of the source.
  private var folders: Set<String> = []
  private var total: Int?

  init(
    source: ImportSource, path: String?, mapping: FolderMapping, vault: Vault?, defaultGroup: String?,
    rule: ItemImporter.Rule, isDryRun: Bool, showsItems: Bool
  ) {
    self.mapping = mapping
    self.defaultGroup = defaultGroup
    self.showsItems = showsItems
    joinsOneTimeCodes = source != .json
    importer = ItemImporter(vault, rule: rule, isDryRun: isDryRun)
    report = ImportReport(source: source, path: path, isDryRun: isDryRun)
  }

  /// Takes all lines that `read` passes on. What was written before an error stays.
  func finish(_ read: ((ImportLine) throws -> Void) throws -> Void) throws -> ImportReport {
    defer { meter.finish() }
    try read(take)
    try writeBatch()
    for folder in mapping.folders(missingFrom: folders) {
      report.skip(folder, because: "the mapping names this folder, and the source has no entry in it")
    }
    return report
  }

  private func take(_ line: ImportLine) throws {
    if let count = line.count { total = count }
    if let reason = line.skipped { return report.skip(line.name ?? "", because: reason) }
    guard line.itemClass != nil else { return }
    if line.entry == nil || line.entry != entry {
      // Only between two entries.
      if batch.count >= Self.batchItemCount || byteCount >= Self.batchByteCount { try writeBatch() }
      entryStart = batch.count
      report.entryCount += 1
      meter.show(report.entryCount, of: total)
    }
    entry = line.entry
    folders.insert(line.folder ?? "")
    guard case .group(let group) = mapping.destination(of: line.folder ?? "") else {
      return report.skip(line.text("svce") ?? line.text("srvr") ?? "", because: "the mapping leaves its folder out")
    }
    guard let item = ImportedItem(line, group: group ?? defaultGroup) else {
      return report.skip(line.text("labl") ?? "", because: "its class or an attribute is unknown")
    }
    byteCount += item.draft.value.count + Self.byteCount(of: line)
    if joinsOneTimeCodes, entryStart < batch.count, batch[entryStart].take(oneTimeCode: item) { return }
    batch.append(item)
    guard batch.count <= Self.maximumItemCount, byteCount <= Self.maximumByteCount else {
      throw VaultError(
        .invalidArgument, "an entry of the source has too many items: \(item.name.sanitizedForTerminal())",
        recoverySuggestion: "remove its attachments or divide it in the other program, export again, and import that")
    }
  }

  private static func byteCount(of line: ImportLine) -> Int {
    (line.attributes ?? [:]).values.reduce(0) { sum, attribute in
      switch attribute {
      case .text(let text): sum + text.utf8.count
      case .data(let bytes): sum + bytes.count
      case .number, .date: sum
      }
    }
  }

  private func writeBatch() throws {
    for (item, outcome) in try importer.write(batch) {
      report.count(outcome, of: item.name)
      if showsItems { try show(item, outcome) }
    }
    batch.removeAll(keepingCapacity: true)
    byteCount = 0
  }

  private func show(_ item: ImportedItem, _ outcome: ItemImporter.Outcome) throws(VaultError) {
    let word =
      switch outcome {
      case .new: "new"
      case .same: "same"
      case .changed: "replaces"
      // The report names it, with the reason.
      case .skipped: ""
      }
    guard !word.isEmpty else { return }
    let kind = ItemKind(item.draft.itemClass).argument
    try Output.line("\(word)  \(kind)  \(Output.cell(item.name))\(item.group.map { "  in \(Output.cell($0))" } ?? "")")
  }
}

/// What an import has done, or would do.
struct ImportReport {
  /// Something that was not imported.
  struct Skipped {
    let name: String
    let reason: String
  }

  let source: ImportSource
  /// The file or folder that was read.
  let path: String?
  let isDryRun: Bool
  /// The number of entries in the source that were read.
  var entryCount = 0
  var newCount = 0
  var sameCount = 0
  var changedCount = 0
  private(set) var skipped: [Skipped] = []

  init(source: ImportSource, path: String?, isDryRun: Bool) {
    self.source = source
    self.path = path
    self.isDryRun = isDryRun
  }

  mutating func skip(_ name: String, because reason: String) {
    skipped.append(Skipped(name: name, reason: reason))
  }

  mutating func count(_ outcome: ItemImporter.Outcome, of name: String) {
    switch outcome {
    case .new: newCount += 1
    case .same: sameCount += 1
    case .changed: changedCount += 1
    case .skipped(let reason): skip(name, because: reason)
    }
  }

  /// How to delete the source; nil while it has something that the vault does not have.
  private var advice: String? {
    guard !isDryRun, skipped.isEmpty, newCount + sameCount + changedCount > 0 else { return nil }
    return source.cleaningAdvice(for: path)
  }

  var json: JSONObject {
    [
      "source": source.rawValue, "isDryRun": isDryRun, "entryCount": entryCount, "newCount": newCount,
      "sameCount": sameCount, "changedCount": changedCount,
      "skipped": skipped.map { JSONObject(dictionaryLiteral: ("name", $0.name), ("reason", $0.reason)) },
      "advice": advice,
    ]
  }

  var lines: [String] {
    var lines = skipped.map { Output.cell("skipped: \($0.name): \($0.reason)") }
    let done = isDryRun ? "would be" : newCount == 1 ? "was" : "were"
    lines.append(
      "\(counted(entryCount, "entry", "entries")): \(counted(newCount, "item")) \(done) imported and read back, \(changedCount.grouped) replaced; \(sameCount.grouped) are there already, \(skipped.count.grouped) skipped"
    )
    if isDryRun { lines[lines.count - 1] = lines[lines.count - 1].replacing(" and read back", with: "") }
    if let advice {
      lines.append("Nothing was deleted at the source. \(advice)")
    } else if !isDryRun, !skipped.isEmpty {
      lines.append("Nothing was deleted at the source. Keep it: what was skipped is only there")
    }
    return lines
  }
}

/// Which access group the entries of each folder of a source go to: a file of JSON that a person edits.
struct FolderMapping {
  /// Where the entries of a folder go.
  enum Destination: Hashable {
    /// An access group, as users write it; nil for the default.
    case group(String?)
    case nowhere
  }

  private var folders: [String: Destination] = [:]
  private let standard: Destination

  /// Everything goes to one group.
  init(group: String?) { standard = .group(group) }

  /// Reads a mapping. A folder that it does not have is mapped as the nearest folder around it, and `group` is for
  /// folders that are in none.
  init(reading path: String, group: String?) throws(VaultError) {
    standard = .group(group)
    let data = try SecretInput.contents(of: path, what: "mapping")
    guard let file = try? JSONDecoder().decode([String: [String: String?]].self, from: data), file.count == 1,
      let found = file["folders"]
    else {
      throw VaultError(
        .invalidArgument, "the mapping \(path.sanitizedForTerminal(limit: .max)) is not {\"folders\": {FOLDER: GROUP}}",
        recoverySuggestion: "write a new one with: coffer import SOURCE PATH --write-mapping FILE")
    }
    for (folder, group) in found {
      folders[folder] = group.map { $0.isEmpty ? standard : .group($0) } ?? .nowhere
    }
  }

  /// Returns where the entries of a folder go.
  func destination(of folder: String) -> Destination {
    var path = folder[...]
    while true {
      if let found = folders[String(path)] { return found }
      guard let slash = path.lastIndex(of: "/") else { return folders[""] ?? standard }
      path = path[..<slash]
    }
  }

  /// The groups to which anything may go.
  var groups: [String?] {
    let all = (folders[""] == nil ? [standard] : []) + folders.values
    var groups: [String?] = []
    for case .group(let group) in all where !groups.contains(group) { groups.append(group) }
    return groups
  }

  /// Returns the folders that the mapping names, and that neither are nor contain one of these, sorted.
  func folders(missingFrom found: Set<String>) -> [String] {
    folders.keys.filter { key in
      !key.isEmpty && !found.contains { $0 == key || $0.hasPrefix(key + "/") }
    }.sorted()
  }

  /// Writes the mapping of these folders to the default group, to be edited.
  static func write(_ folders: some Sequence<String>, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let all = Dictionary(folders.map { ($0, "") }, uniquingKeysWith: { first, _ in first })
    try ReplacedFile.write([UInt8](encoder.encode(["folders": all])) + [UInt8(ascii: "\n")], to: path)
  }
}
