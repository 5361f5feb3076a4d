package import CofferFormat

/// An item that a search found.
package struct FoundItem: Sendable {
  package let itemClass: ItemClass
  package let attributes: ItemAttributes
  /// Nil if the search did not ask for values.
  package let value: [UInt8]?
  /// The access group's full name.
  package let group: String
  package let writer: ItemWriter
  package let hasConflict: Bool
  let item: ItemID
  let groupID: GroupID
  let version: RecordHash
}
