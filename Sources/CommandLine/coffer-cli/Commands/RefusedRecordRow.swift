internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

/// A version that does not count, in the output of `--json` and as a row of a table.
enum RefusedRecordRow {
  static func json(_ record: RefusedRecord) -> JSONObject {
    let object: JSONObject = [
      "version": record.identifier, "class": ItemKind(record.itemClass).argument, "group": record.group,
      "written": record.written, "isDeletion": record.isDeletion, "reason": record.reason,
      "obstacle": record.obstacle?.rawValue,
    ]
    return object.including(record.names).including(JSONObject.writer(record.writer))
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
