package import CofferFormat

/// The state of a vault up to which a program has read its items.
package struct ChangePosition: Hashable, Sendable {
  /// The last entry of the membership log. After a change of the membership, other groups and other records count.
  let log: LogPosition
  /// The last row. Each new record gets a higher number.
  let row: Int64
}

/// The items that were written after a position.
package struct ItemChanges: Sendable {
  /// The position up to which these are the changes.
  package let position: ChangePosition
  /// The items; nil if all have to be read again, because the membership has changed.
  package let addresses: [ItemAddress]?
}
