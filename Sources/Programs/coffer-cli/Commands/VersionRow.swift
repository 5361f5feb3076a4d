internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

/// A version of an item in the output of `--json`.
struct VersionRow: Encodable {
  /// The identifier by which `history --value` and `restore` name the version.
  let version: String
  let group: String
  let written: Date
  let writerApp: String?
  let writerMachine: String
  let isCurrent: Bool
  /// Whether another machine has changed the item at the same time.
  let isInConflict: Bool
  let isDeletion: Bool
  /// What the version changed; nil if this machine no longer keeps the one before it.
  let changed: [String]?
  let label: String?
  let comment: String?
  let description: String?
  let accessibility: String?
  let isSynchronizable: Bool?
  /// The value, if it was asked for and is text.
  let value: String?
  /// The value in base64, if it was asked for and is no text.
  let valueBase64: String?

  init(
    _ version: ItemVersion<GenericPassword>, isInConflict: Bool, changed: [VersionChange]? = nil, value: Data? = nil
  ) {
    self.version = version.identifier
    group = version.accessGroup
    written = version.written
    writerApp = version.writer.application
    writerMachine = version.writer.device
    isCurrent = version.isCurrent
    self.isInConflict = isInConflict
    isDeletion = version.isDeletion
    self.changed = changed?.map(\.description)
    self.value = value.flatMap { String(validating: $0, as: UTF8.self) }
    valueBase64 = value.flatMap { String(validating: $0, as: UTF8.self) == nil ? $0.base64EncodedString() : nil }
    label = version.item?.label
    comment = version.item?.comment
    description = version.item?.itemDescription
    accessibility = version.item?.accessibility.map { "\($0)" }
    isSynchronizable = version.item?.isSynchronizable
  }

  /// The columns of a version after its identifier.
  static let columns = ["WRITTEN", "WRITTEN BY", "CHANGED", "LABEL", "STATE"]

  /// How these columns give way on a narrow terminal.
  static let columnWidths: [TableColumn] = [.date, .ending, .name, .name, .whole]

  /// Returns the cells of these columns.
  static func cells(
    _ version: ItemVersion<GenericPassword>, isInConflict: Bool, changed: [VersionChange]?, names: ShownNames
  ) -> [String] {
    let state = [
      version.isCurrent ? "current" : "", version.isDeletion ? "deleted" : "", isInConflict ? "conflict" : "",
    ].filter { !$0.isEmpty }
    return [
      Output.date(version.written), names.writer(version.writer), VersionChange.words(changed),
      Output.name(version.item?.label ?? "-"), state.isEmpty ? "-" : state.joined(separator: ", "),
    ]
  }
}
