package import CofferFormat
package import CofferStore

/// The refused records that the owner has discarded and that the store still has, because a segment contains them or a later
/// entry of the log may permit them. They are neither listed nor counted.
package struct DiscardedRecords {
  /// The hashes of the copies, see ``CofferFormat/Record/copyHash``.
  package private(set) var copies: Set<RecordHash> = []

  /// The maximum number of records.
  package static let cap = 16_384

  /// Reads the records of a store. Others than ``save(to:)`` has written count as none: they are listed again.
  package static func load(from access: borrowing some StoreAccess & ~Copyable) throws(StoreError) -> DiscardedRecords {
    DiscardedRecords(copies: Set(try access.value(.discardedRecords) ?? []))
  }

  package mutating func insert(_ copy: RecordHash) { copies.insert(copy) }

  /// Writes the records to a store, without those that it does not have any more. Returns false, and writes nothing, if
  /// there are more than ``cap``.
  package func save(to writer: borrowing StoreWriter) throws(StoreError) -> Bool {
    var kept: [RecordHash] = []
    for copy in copies.sorted() where try writer.unadmittedCount(ofCopy: copy, after: 0) != nil { kept.append(copy) }
    guard kept.count <= Self.cap else { return false }
    try writer.set(.discardedRecords, to: kept)
    return true
  }
}
