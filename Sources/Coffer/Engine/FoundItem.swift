package import CofferFormat

/// An item that a search found.
package struct FoundItem: Sendable {
  package let itemClass: ItemClass
  package let attributes: ItemAttributes
  /// Nil where the search asked for none.
  package let value: [UInt8]?
  /// The access group's full name.
  package let group: String
  package let writer: Writer
  package let hasConflict: Bool
  let item: ItemID
  let groupID: GroupID
  let version: RecordHash
}
