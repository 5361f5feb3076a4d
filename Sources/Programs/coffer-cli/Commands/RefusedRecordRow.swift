internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

/// A version that does not count, in the output of `--json` and as a row of a table.
struct RefusedRecordRow: Encodable {
  private let version: String
  private let `class`: String
  private let group: String?
  private let written: Date
  private let writerApp: String?
  private let writerMachine: String?
  private let isDeletion: Bool
  private let reason: String
  private let obstacle: String?
  private let names: StoredNames?

  private enum CodingKeys: String, CodingKey {
    case version, `class`, group, written, writerApp, writerMachine, isDeletion, reason, obstacle
  }

  init(_ record: RefusedRecord) {
    version = record.identifier
    self.class = ItemKind(record.itemClass).argument
    group = record.group
    written = record.written
    writerApp = record.writer?.application
    writerMachine = record.writer?.device
    isDeletion = record.isDeletion
    reason = record.reason
    obstacle = record.obstacle?.rawValue
    names = record.names
  }

  func encode(to encoder: any Encoder) throws {
    try names?.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(self.class, forKey: .class)
    try container.encodeIfPresent(group, forKey: .group)
    try container.encode(written, forKey: .written)
    try container.encodeIfPresent(writerApp, forKey: .writerApp)
    try container.encodeIfPresent(writerMachine, forKey: .writerMachine)
    try container.encode(isDeletion, forKey: .isDeletion)
    try container.encode(reason, forKey: .reason)
    try container.encodeIfPresent(obstacle, forKey: .obstacle)
  }

  static let columns = ["VERSION", "WRITTEN", "WRITTEN BY", "GROUP", "SERVICE", "ACCOUNT", "WHY"]

  /// Returns the cells of these columns.
  static func cells(_ record: RefusedRecord) -> [String] {
    let names = record.names
    return [
      String(record.identifier.prefix(ItemVersionRow.shownIdentifierLength)), Output.date(record.written),
      record.writer.map(VersionText.writer) ?? "unknown", record.group ?? "unknown", Output.name(names?.place ?? "-"),
      Output.name(names?.account ?? names?.label ?? "-"), record.reason + (record.note.map { "; \($0)" } ?? ""),
    ]
  }
}

extension RefusedRecord {
  /// The names of the item; nil if the attributes do not open.
  fileprivate var names: StoredNames? { attributes.map { StoredNames($0, of: itemClass) } }

  /// What somebody has to know before adopting it.
  fileprivate var note: String? {
    switch obstacle {
    case .itemChanged: "the item was changed since: adopt it with --force"
    case .noKey: "no key opens it here"
    case .damaged: "its contents are damaged"
    case .followed: "adopted or written over"
    case .unknownAuthor: "it cannot be adopted"
    case nil: isDeletion ? "it deletes the item" : nil
    }
  }
}
