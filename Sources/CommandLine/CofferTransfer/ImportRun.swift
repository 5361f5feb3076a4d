package import Coffer
internal import CofferCrypto
internal import CofferPlatform
package import CofferSystem
internal import CofferVault

/// An import from its first line to its report. The items of an entry are written together, and several entries in one
/// transaction: one that is interrupted has imported whole entries.
package final class ImportRun {
  private static let batchItemCount = 200
  private static let batchByteCount = 8 << 20
  /// The most that an entry may have, because its items are written together.
  private static let maximumItemCount = 10_000
  private static let maximumByteCount = 1 << 30

  private let mapping: FolderMapping
  /// The full name of the group of items for which the mapping names none.
  private let defaultGroup: String?
  private let importer: ItemImporter
  /// Receives each item and what has become of it.
  private let observe: (ImportedItem, ItemImporter.Outcome) throws -> Void
  /// Receives the number of entries so far, and of all if it is known.
  private let progress: (Int, Int?) -> Void
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

  package init(
    source: ImportSource, path: String?, mapping: FolderMapping, vault: Vault?, defaultGroup: String?,
    rule: ItemImporter.Rule, isDryRun: Bool, progress: @escaping (Int, Int?) -> Void = { _, _ in },
    observe: @escaping (ImportedItem, ItemImporter.Outcome) throws -> Void = { _, _ in }
  ) {
    self.mapping = mapping
    self.defaultGroup = defaultGroup
    self.progress = progress
    self.observe = observe
    joinsOneTimeCodes = source != .json
    importer = ItemImporter(vault, rule: rule, isDryRun: isDryRun)
    report = ImportReport(source: source, path: path, isDryRun: isDryRun)
  }

  /// Takes all lines that `read` passes on. What was written before an error stays.
  package func finish(_ read: ((ImportLine) throws -> Void) throws -> Void) throws -> ImportReport {
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
      progress(report.entryCount, total)
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
      try observe(item, outcome)
    }
    batch.removeAll(keepingCapacity: true)
    byteCount = 0
  }
}

/// What an import has done, or would do.
package struct ImportReport: Sendable {
  /// Something that was not imported.
  package struct Skipped: Sendable {
    package let name: String
    package let reason: String

    package init(name: String, reason: String) {
      self.name = name
      self.reason = reason
    }
  }

  package let source: ImportSource
  /// The file or folder that was read.
  package let path: String?
  package let isDryRun: Bool
  /// The number of entries in the source that were read.
  package internal(set) var entryCount = 0
  package internal(set) var newCount = 0
  package internal(set) var sameCount = 0
  package internal(set) var changedCount = 0
  package private(set) var skipped: [Skipped] = []

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
}

/// Which access group the entries of each folder of a source go to: a file of JSON that a person edits.
package struct FolderMapping {
  /// Where the entries of a folder go.
  enum Destination: Hashable {
    /// An access group, as users write it; nil for the default.
    case group(String?)
    case nowhere
  }

  private var folders: [String: Destination] = [:]
  private let standard: Destination

  /// Everything goes to one group.
  package init(group: String?) { standard = .group(group) }

  /// Everything goes where the folders say. A folder without an entry is mapped as the nearest folder around it, and
  /// `group` is for folders that are in none. An empty name is the group, and nil leaves a folder out.
  package init(folders: [String: String?], group: String?) {
    standard = .group(group)
    self.folders = folders.mapValues { [standard] in $0.map { $0.isEmpty ? standard : .group($0) } ?? .nowhere }
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
  package var groups: [String?] {
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
}

/// A program or a format that `coffer import` reads.
package enum ImportSource: String, CaseIterable, Sendable {
  case pass, gopass, passage, keepassxc, bitwarden, csv, cxf
  case onePassword = "1password"
  case secretService = "secret-service"
  case securityDump = "security-dump"
  case dotenv, json

  /// Whether it is read from a file or folder.
  package var needsPath: Bool { self != .secretService }

  /// Finds the source of a file by its name and its contents: CSV if nothing else is found.
  init(fileNamed name: String, _ contents: SecretText) {
    let name = name.lowercased()
    self = unsafe contents.withBytes { bytes in
      if unsafe bytes.hasText("<KeePassFile") { return .keepassxc }
      if name.hasSuffix(".1pux") { return .onePassword }
      if name.hasSuffix(".env") { return .dotenv }
      guard unsafe bytes.first(where: { $0 > 32 }) == UInt8(ascii: "{") else { return .csv }
      if unsafe bytes.hasText("\"coffer-export\"") { return .json }
      return unsafe bytes.hasText("\"exporterRpId\"") ? .cxf : .bitwarden
    }
  }
}
