package import Coffer
internal import CofferCrypto
internal import CofferFormat
package import CofferPlatform
internal import CofferVault

/// One version of an item as its history shows it, without its value.
package struct ItemVersionRow: Sendable {
  /// The version's hash in hexadecimal, which is the same on every machine.
  package let identifier: String
  /// The access group's full name.
  package let group: String
  package let written: Date
  package let writer: ItemWriter
  /// Whether this is the version that reads return.
  package let isCurrent: Bool
  /// Whether this is one of several versions of an item in conflict.
  package let isInConflict: Bool
  /// Whether this version deleted the item. It has no attributes then.
  package let isDeletion: Bool
  /// Whether this version stays on the machine that wrote it.
  package let isDeviceLocal: Bool
  /// The attributes, in the fixed order of the class.
  package let attributes: [ItemAttributeRow]
  let hash: RecordHash
  let address: ItemAddress
  /// The versions that the author saw as the current ones.
  let bases: [RecordHash]

  /// The beginning of the identifier, as tables show it and commands take it.
  package var shortIdentifier: String { String(identifier.prefix(Self.shownIdentifierLength)) }

  /// The number of characters of a version's identifier that tables show.
  package static let shownIdentifierLength = 12

  init(_ version: FoundVersion, isInConflict: Bool) {
    identifier = version.hash.raw.hex
    group = version.group
    written = version.written.date
    writer = version.writer
    isCurrent = version.isCurrent
    self.isInConflict = isInConflict
    isDeletion = version.attributes == nil
    isDeviceLocal = version.isDeviceLocal
    attributes = version.attributes.map { ItemAttributeRow.rows($0, of: version.itemClass) } ?? []
    hash = version.hash
    address = version.address
    bases = version.bases
  }

  static func rows(_ versions: [FoundVersion]) -> [ItemVersionRow] {
    let hasConflict = versions.count(where: \.isHead) > 1
    return versions.map { ItemVersionRow($0, isInConflict: hasConflict && $0.isHead) }
  }
}
