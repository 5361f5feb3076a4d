package import Coffer
package import CofferPlatform
package import CofferVault

/// Everything about one item except its value.
package struct ItemDetails: Sendable {
  package let row: ItemRow
  /// What a change must name, so that it is refused if another one was made in the meantime.
  package let revision: ItemRevision
  /// The attributes that are set, in the fixed order of the class.
  package let attributes: [ItemAttributeRow]
  /// The attributes that can be changed, also those that are not set.
  package let fields: [ItemAttributeRow]
  /// When the current version was written, by the clock of the machine that wrote it.
  package let written: Date
  /// The number of versions that this machine keeps, including the current one.
  package let versionCount: Int
  /// Whether the item's group can be written, so that the item can be changed.
  package let isWritable: Bool
  /// Whether the item stays on this machine.
  package let isDeviceLocal: Bool
  /// What is required before the value is shown.
  package let valueGuard: ValueGuard
  /// The concurrent versions of an item in conflict, the current one first; empty for any other.
  package let conflict: [ItemVersionRow]
  /// The fields of a certificate; nil for other items.
  package let certificate: CertificateDetails?
  /// What belongs to a key; nil for other items.
  package let key: KeyDetails?
  /// Errors of damaged versions.
  package let damaged: [VaultError]
}
