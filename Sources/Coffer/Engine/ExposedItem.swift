package import CofferFormat
package import Foundation

/// An item whose current value somebody could read who may not read it any more. Only a new value helps.
package struct ExposedItem: Sendable {
  package let address: ItemAddress
  package let itemClass: ItemClass
  package let attributes: ItemAttributes
  /// The access group's full name.
  package let group: String
  /// When the current version was written, by its author's clock.
  package let written: Date
  package let writer: ItemWriter
  /// The last revocation that took readers out who know the value.
  package let revocation: ExposingRevocation
}

/// A revocation that took readers out.
package struct ExposingRevocation: Hashable, Sendable {
  /// The number of its entry in the log.
  package let entry: UInt64
  package let time: Date
  /// The apps and owners that could read, each with its machine.
  package let readers: [ItemWriter]
}
