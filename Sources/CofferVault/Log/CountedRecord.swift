internal import CofferCrypto
package import CofferFormat
package import CofferStore
package import CofferTrust

/// A record that stays valid after a revocation of its author: one that counts, or that waits for entries of the log.
package struct CountedRecord: Hashable, Sendable {
  package let hash: RecordHash
  package let author: AuthorID
  package let group: GroupID
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the valid and the pending records of authors.
  ///
  /// - Parameters:
  ///   - authors: The authors.
  ///   - membership: The membership by the log.
  ///   - device: This machine's keys, which open the segments with pending records.
  /// - Returns: The records.
  /// - Throws: ``StoreError`` if the store cannot be read.
  package func countedRecords(
    of authors: Set<AuthorID>, in membership: Membership, openedBy device: DeviceFile
  ) throws -> [CountedRecord] {
    var found: [CountedRecord] = []
    let followed = try publishedLogLength()
    for author in authors.sorted() {
      let valid = try validRecords(by: author)
      found += valid.map { CountedRecord(hash: $0.hash, author: author, group: $0.group) }
      for (stream, number) in try segmentsWithPending(by: author, after: followed) {
        guard let segment = try segment(stream, number)?.segment(openedBy: device) else { continue }
        for bytes in segment.records {
          guard let record = try? Record(bytes: bytes), record.header.author == author,
            let keys = membership.authors[author]?.keys, record.isSigned(by: keys.verifying)
          else { continue }
          found.append(CountedRecord(hash: record.hash, author: author, group: record.header.group))
        }
      }
    }
    return found
  }
}
