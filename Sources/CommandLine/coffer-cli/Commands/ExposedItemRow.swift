internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

/// An item to replace, in the output of `--json` and as a row of a table.
enum ExposedItemRow {
  /// The item with the keys of `list`, and those of `log` for the entry that dismissed it.
  static func json(_ item: ExposedItem) -> JSONObject {
    let object: JSONObject = [
      "class": ItemKind(item.itemClass).argument, "reference": item.reference?.path, "group": item.group,
      "written": item.written, "revocationEntry": item.exposure.position.sequence, "revoked": item.exposure.time,
      "exposedTo": item.exposure.readers.map { ["app": $0.application, "machine": $0.device] as JSONObject },
      "exposedToVaultKeys": item.exposure.vaultKeys,
      "dismissal": item.dismissal.map {
        ["number": $0.entry, "time": $0.time, "signedBy": $0.signer, "reason": $0.reason] as JSONObject
      },
    ]
    return object.including(StoredNames(item.attributes, of: item.itemClass))
      .including(JSONObject.writer(item.writer))
  }

  static let columns = ["GROUP", "CLASS", "SERVICE", "ACCOUNT", "WRITTEN", "WRITTEN BY", "WAS READABLE"]

  /// How these columns give way on a narrow terminal.
  static let columnWidths: [TableColumn] = [.ending, .whole, .name, .name, .date, .ending, .name]

  private static func word(for itemClass: ItemClass) -> String {
    switch itemClass {
    case .genericPassword: "generic"
    case .internetPassword: "internet"
    case .certificate: "certificate"
    case .key: "key"
    }
  }

  /// Returns the cells of these columns.
  static func cells(_ item: ExposedItem, _ shown: ShownNames) -> [String] {
    let names = StoredNames(item.attributes, of: item.itemClass)
    return [
      shown.group(item.group), Self.word(for: item.itemClass), Output.name(names.place ?? "-"),
      Output.name(names.account ?? names.label ?? "-"),
      Output.date(item.written), shown.writer(item.writer),
      (Set(item.exposure.readers.map(\.device)).sorted().map { "on \(Output.cell($0))" }
        + item.exposure.vaultKeys.map { "with vault key \($0)" }).joined(separator: ", "),
    ]
  }
}

extension ExposedItem {
  /// The reference by which commands name the item; nil for an item without one.
  var reference: ItemReference? { ItemReference(itemClass, attributes) }
}

extension StoredNames {
  /// What the item is for: the service, or the server of an internet password.
  var place: String? { service ?? server }
}
