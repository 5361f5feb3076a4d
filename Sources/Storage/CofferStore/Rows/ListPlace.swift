package import CofferFormat

/// The place of an item in a list. The item that was created first comes first; of items that were created at the same
/// time, the one that arrived first on this machine.
package struct ListPlace: Hashable, Comparable, Sendable {
  /// When the item was created, in microseconds since 1970.
  package let created: Int64
  /// The number of the item's first row on this machine.
  package let arrival: Int64
  package let item: ItemID

  /// Whether an item has the same place under another primary key or in another group.
  package func isPlace(of other: ListPlace) -> Bool { created == other.created && arrival == other.arrival }

  package static func < (left: ListPlace, right: ListPlace) -> Bool {
    (left.created, left.arrival, left.item) < (right.created, right.arrival, right.item)
  }
}
