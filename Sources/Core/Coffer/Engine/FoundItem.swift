package import CofferFormat

/// An item that a search found.
package struct FoundItem: Sendable {
  package let itemClass: ItemClass
  package let attributes: ItemAttributes
  /// Nil if the search did not ask for values.
  package var value: [UInt8]?
  /// The access group's full name.
  package let group: String
  package let writer: ItemWriter
  package let hasConflict: Bool
  let item: ItemID
  let groupID: GroupID
  package let version: RecordHash

  package var address: ItemAddress { ItemAddress(group: groupID, item: item) }
}

extension [FoundItem] {
  /// Returns the first item of a group; the first of all if the group has none. A certificate is joined to the key in its
  /// own group: the caller may not be allowed to change a copy in another one.
  package func first(preferring group: String) -> FoundItem? { first { $0.group == group } ?? first }
}
