internal import Coffer
internal import CofferInspection
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
