package import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// A format of plain text that other programs read.
package enum ExportFormat: String, CaseIterable, Sendable {
  case json, cxf, csv

  /// Returns the file of entries. `skip` receives what the format has no place for.
  package func bytes(of entries: [ExportedEntry], in vault: Vault, skip: (String, String) -> Void) throws -> [UInt8] {
    switch self {
    case .json: try Self.encoded(JSONExport(items: entries.flatMap(\.items).map(\.line)))
    case .cxf:
      try Self.encoded(CredentialExchangeExport.json(entries, vault: vault.id.raw.bytes, asOf: Date()))
    case .csv: CSVExport.bytes(entries, skip: skip)
    }
  }

  /// Returns the number of items, or of entries, that a file has.
  package func count(of entries: [ExportedEntry]) -> Int {
    switch self {
    case .json, .cxf: entries.reduce(0) { $0 + $1.items.count }
    case .csv: entries.count { $0.password != nil || $0.notes != nil || $0.oneTimeCode != nil }
    }
  }

  private static func encoded(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try [UInt8](encoder.encode(value)) + [UInt8(ascii: "\n")]
  }
}

/// The file of `coffer export json`.
struct JSONExport: Encodable {
  let format = "coffer-export"
  let version = 1
  let items: [ImportLine]
}

/// The passwords as comma-separated values (RFC 4180), with the columns that browsers and Apple Passwords read.
enum CSVExport {
  private static let columns = ["name", "url", "username", "password", "note", "otpauth"]

  /// Returns the file. `skip` receives what has no column.
  static func bytes(_ entries: [ExportedEntry], skip: (String, String) -> Void) -> [UInt8] {
    var bytes = Array((columns.joined(separator: ",") + "\r\n").utf8)
    for entry in entries {
      for item in entry.others + entry.attachments + [entry.details].compactMap(\.self) {
        skip(item.name, "CSV has no column for it; coffer export json has everything")
      }
      if let item = entry.password, !item.attributesWithoutColumn.isEmpty {
        skip(item.name, "CSV has no column for its \(item.attributesWithoutColumn); coffer export json has everything")
      }
      guard entry.password != nil || entry.notes != nil || entry.oneTimeCode != nil else { continue }
      let fields: [[UInt8]] = [
        Array(name(of: entry).utf8), Array((entry.addresses.first ?? "").utf8), Array(entry.username.utf8),
        entry.password?.value ?? [], entry.notes?.value ?? [], Array((entry.oneTimeCodeText ?? "").utf8),
      ]
      bytes += fields.map(quoted).joined(separator: [UInt8(ascii: ",")])
      bytes += [13, 10]
    }
    return bytes
  }

  /// The name by which an import finds the same item again: the service of a generic password.
  private static func name(of entry: ExportedEntry) -> String {
    guard let password = entry.password, password.itemClass == .genericPassword else { return entry.title }
    return password.attribute("svce")
  }

  private static func quoted(_ field: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard field.contains(where: { [quote, UInt8(ascii: ","), 10, 13].contains($0) }) else { return field }
    return [quote] + field.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}
