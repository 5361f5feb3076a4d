package import CofferCrypto
package import CofferFormat

/// Look-ups of the lists of records that stay valid after revocations, and of the records that they concern.
extension StoreAccess where Self: ~Copyable {
  /// Returns the bytes of a list; nil if the store does not have it. The caller compares them with the hash.
  package func recordList(_ hash: Bytes32) throws(StoreError) -> [UInt8]? {
    let rows = try connection.statement("SELECT object FROM record_list WHERE hash = ?1", [.hash(hash)])
    return try rows.step() ? rows.bytes(0) : nil
  }

  /// Returns all lists without their bytes, in ascending order of hash.
  package func recordLists() throws(StoreError) -> [StoredRecordList] {
    let rows = try connection.statement("SELECT hash, published FROM record_list ORDER BY hash")
    var lists: [StoredRecordList] = []
    while try rows.step() {
      lists.append(
        StoredRecordList(hash: try rows.bytes32(0, "record_list.hash"), published: rows.optionalBytes(1)))
    }
    return lists
  }

  /// Returns an author's valid records, those without contents included, with their groups. Based on hints.
  package func validRecords(by author: AuthorID) throws(StoreError) -> [(hash: RecordHash, group: GroupID)] {
    let rows = try connection.statement(
      "SELECT hash, group_id FROM record WHERE author = ?1 AND standing <> 2 ORDER BY hash", [.id(author.raw)])
    var records: [(hash: RecordHash, group: GroupID)] = []
    while try rows.step() {
      records.append(
        (RecordHash(try rows.bytes32(0, "record.hash")), GroupID(try rows.bytes16(1, "record.group_id"))))
    }
    return records
  }
}
