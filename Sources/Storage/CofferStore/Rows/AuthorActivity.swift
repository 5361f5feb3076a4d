package import CofferFormat

/// What the rows of a store tell of an author's records. Other programs can change rows, so this is a hint.
package struct AuthorActivity: Hashable, Sendable {
  package let author: AuthorID
  /// The number of records, with deletions and superseded versions.
  package let recordCount: Int
  /// The time of the last one, by the author's clock.
  package let last: Timestamp
  /// The access group of the last one.
  package let group: GroupID
  /// Whether the last one deleted its item.
  package let isDeletion: Bool
}
