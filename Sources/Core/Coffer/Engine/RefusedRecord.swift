internal import CofferCrypto
package import CofferFormat
package import CofferPlatform

/// A version of an item that does not count, because the membership log does not let its author write it.
package struct RefusedRecord: Sendable {
  /// What keeps an owner from adopting a record.
  package enum Obstacle: String, Hashable, Sendable {
    /// Its signer is not in the log.
    case unknownAuthor = "unknown-author"
    /// This owner has no key that opens it.
    case noKey = "no-key"
    /// Its contents are not what its signed part says.
    case damaged
    /// The item has a version that the record's author had not seen, which adopting it would replace.
    case itemChanged = "item-changed"
    /// A version that counts follows it: somebody has adopted it, or has written over it.
    case followed
  }

  package let hash: RecordHash
  /// Who wrote it; nil if the log does not contain the author.
  package let writer: ItemWriter?
  /// The full name of the access group; nil if the log does not contain it.
  package let group: String?
  /// When it was written, by its author's clock.
  package let written: Date
  package let itemClass: ItemClass
  package let isDeletion: Bool
  /// The attributes; nil for a deletion, and if they cannot be opened.
  package let attributes: ItemAttributes?
  /// Why it does not count, as a clause.
  package let reason: String
  /// What keeps an owner from adopting it; nil for nothing.
  package let obstacle: Obstacle?

  /// The identifier by which commands name the record.
  package var identifier: String { hash.raw.hex }
}
