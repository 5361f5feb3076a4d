internal import Coffer
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferTerminal

/// An item to replace, in the output of `--json` and as a row of a table.
struct ExposedItemRow: Encodable {
  private struct Reader: Encodable {
    let app: String?
    let machine: String
  }

  /// The entry of the log that dismissed the item, with the keys of `coffer log`.
  private struct Dismissal: Encodable {
    let number: UInt64
    let time: Date
    let signedBy: String
    let reason: String
  }

  private let `class`: String
  private let reference: String?
  private let group: String
  private let written: Date
  private let writerApp: String?
  private let writerMachine: String
  private let revocationEntry: UInt64
  private let revoked: Date
  private let exposedTo: [Reader]
  private let exposedToVaultKeys: [UInt32]
  private let dismissal: Dismissal?
  private let names: StoredNames

  private enum CodingKeys: String, CodingKey {
    case `class`, reference, group, written, writerApp, writerMachine, revocationEntry, revoked, exposedTo,
      exposedToVaultKeys, dismissal
  }

  init(_ item: ExposedItem) {
    self.class = ItemKind(item.itemClass).argument
    reference = item.reference?.path
    group = item.group
    written = item.written
    writerApp = item.writer.application
    writerMachine = item.writer.device
    revocationEntry = item.exposure.position.sequence
    revoked = item.exposure.time
    exposedTo = item.exposure.readers.map { Reader(app: $0.application, machine: $0.device) }
    exposedToVaultKeys = item.exposure.vaultKeys
    dismissal = item.dismissal.map {
      Dismissal(number: $0.entry, time: $0.time, signedBy: $0.signer, reason: $0.reason)
    }
    names = StoredNames(item.attributes, of: item.itemClass)
  }

  func encode(to encoder: any Encoder) throws {
    try names.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(self.class, forKey: .class)
    try container.encodeIfPresent(reference, forKey: .reference)
    try container.encode(group, forKey: .group)
    try container.encode(written, forKey: .written)
    try container.encodeIfPresent(writerApp, forKey: .writerApp)
    try container.encode(writerMachine, forKey: .writerMachine)
    try container.encode(revocationEntry, forKey: .revocationEntry)
    try container.encode(revoked, forKey: .revoked)
    try container.encode(exposedTo, forKey: .exposedTo)
    try container.encode(exposedToVaultKeys, forKey: .exposedToVaultKeys)
    try container.encodeIfPresent(dismissal, forKey: .dismissal)
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
