package import CofferFormat

/// A difference between the store and what its signed objects state. It names identifiers and never contents.
package struct StoreDifference: Hashable, Sendable {
  /// How the store gets right again.
  package enum Remedy: String, Hashable, Sendable {
    /// The row is restored from the segment or the envelope that holds it.
    case restored
    /// The row is derived from signed objects.
    case derived
    /// Only the remote has the object: the next sync fetches it.
    case remote
    /// No copy of the object is known. The row is removed.
    case lost
  }

  package let table: String
  /// The difference, as a clause.
  package let text: String
  package let remedy: Remedy
  /// The number of rows.
  package let count: Int
  package let group: GroupID?
  package let item: ItemID?

  package init(
    _ table: String, _ text: String, _ remedy: Remedy, count: Int = 1, group: GroupID? = nil, item: ItemID? = nil
  ) {
    self.table = table
    self.text = text
    self.remedy = remedy
    self.count = count
    self.group = group
    self.item = item
  }
}
