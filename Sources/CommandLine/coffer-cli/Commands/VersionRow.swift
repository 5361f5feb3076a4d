internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

extension ItemVersion<GenericPassword> {
  /// The version in the output of `--json`. `version` is what `history --value` and `restore` take, and `changed` is
  /// missing if this machine no longer keeps the version before.
  func json(isInConflict: Bool, changed: [VersionChange]? = nil, value: Data? = nil) -> JSONObject {
    let object: JSONObject = [
      "version": identifier, "group": accessGroup, "written": written, "isCurrent": isCurrent,
      "isInConflict": isInConflict, "isDeletion": isDeletion, "changed": changed?.map(\.description),
      "label": item?.label, "comment": item?.comment, "description": item?.itemDescription,
      "accessibility": item?.accessibility.map { "\($0)" }, "isSynchronizable": item?.isSynchronizable,
    ]
    return object.including(JSONObject.writer(writer)).including(JSONObject.value(value))
  }
}

/// A version of an item as a row of a table.
enum VersionRow {
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
