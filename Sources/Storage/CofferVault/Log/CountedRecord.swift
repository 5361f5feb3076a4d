package import CofferFormat
package import CofferStore

/// A record that counts, and that stays valid after a revocation of its author.
package struct CountedRecord: Hashable, Sendable {
  package let hash: RecordHash
  package let author: AuthorID
  package let group: GroupID
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the records of authors that count, those that were not sent yet included.
  ///
  /// Pending records are not among them: each waits for an entry of the log that its segment names and this machine does
  /// not have, so nothing shows what it will be. An author that expects its revocation could otherwise send a deletion
  /// that begins to count with the keys that the revocation introduces.
  package func countedRecords(of authors: Set<AuthorID>) throws(StoreError) -> [CountedRecord] {
    var found: [CountedRecord] = []
    for author in authors.sorted() {
      found += try validRecords(by: author).map { CountedRecord(hash: $0.hash, author: author, group: $0.group) }
    }
    return found
  }
}
