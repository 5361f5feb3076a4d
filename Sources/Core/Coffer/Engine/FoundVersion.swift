package import CofferFormat
package import CofferVault

/// One version of an item of any class, opened without its value.
package struct FoundVersion: Sendable {
  package let itemClass: ItemClass
  /// Nil for a version that deleted the item.
  package let attributes: ItemAttributes?
  /// The access group's full name.
  package let group: String
  package let address: ItemAddress
  package let written: Timestamp
  package let writer: ItemWriter
  package let isCurrent: Bool
  /// Whether no other version follows this one. Several heads are a conflict.
  package let isHead: Bool
  package let isDeviceLocal: Bool
  package let hash: RecordHash
  /// The versions that the author saw as the current ones.
  package let bases: [RecordHash]
}

/// The versions of an item of any class.
package struct FoundHistory: Sendable {
  /// The versions, newest first.
  package let versions: [FoundVersion]
  package let damaged: [VaultError]
}
