package import CofferFormat
package import CofferPlatform

/// An item whose current value somebody could read who may not read it any more, or who may have an old vault key. Only a new
/// value helps.
package struct ExposedItem: Sendable {
  package let address: ItemAddress
  package let itemClass: ItemClass
  package let attributes: ItemAttributes
  /// The access group's full name.
  package let group: String
  /// When the current version was written, by its author's clock.
  package let written: Date
  package let writer: ItemWriter
  /// Who could read it, and since when they cannot.
  package let exposure: Exposure
  /// Why the value stays as it is nevertheless; nil if it has to be replaced.
  package let dismissal: ItemDismissal?
}

/// An admin's decision that an item's value stays as it is.
package struct ItemDismissal: Hashable, Sendable {
  /// The number of its entry in the log.
  package let entry: UInt64
  package let time: Date
  /// Who signed it: "the owner on laptop", or "the vault key".
  package let signer: String
  /// Why, as the signer wrote it. It can contain any character: escape it for a terminal or a page.
  package let reason: String
}

/// Who could read a value that they cannot read any more.
package struct Exposure: Hashable, Sendable {
  /// The last entry of the log that removed readers, or replaced the vault key.
  package let position: LogPosition
  package let time: Date
  /// The apps and owners that the last revocation removed, each with its machine.
  package let readers: [ItemWriter]
  /// The numbers of the vault keys that were replaced since, in ascending order: whoever has one of them could read it.
  package let vaultKeys: [UInt32]
}
