package import CofferCrypto

/// Hashes of records that stay valid after a revocation, which names this object by its hash. All lists of a revocation
/// but the last are full.
package struct RecordList: Hashable, Sendable {
  package let vault: VaultID
  /// The hashes in ascending order, 1…``capacity``, 32 bytes each.
  private let hashes: [UInt8]
  /// The object's bytes.
  package let bytes: [UInt8]
  /// The hash of the object's bytes.
  package let hash: Bytes32

  /// The maximum number of records in one object.
  package static let capacity = 65_536

  package var count: Int { hashes.count / Bytes32.count }

  /// The records in ascending order.
  package var records: [RecordHash] {
    (0..<count).map { RecordHash(Bytes32(in: hashes, at: $0 * Bytes32.count)) }
  }

  /// Returns the objects for any number of records, in ascending order of record. No record may occur twice.
  package static func lists(of records: [RecordHash], in vault: VaultID) -> [RecordList] {
    let sorted = records.map(\.raw).sorted()
    return stride(from: 0, to: sorted.count, by: capacity).map { start in
      RecordList(vault: vault, ascending: sorted[start..<min(start + capacity, sorted.count)])
    }
  }

  /// Returns the number of objects that a number of records takes; -1 for a number that is too large.
  static func objectCount(for records: UInt64) -> Int {
    records > UInt64(Limits.recordLists * capacity) ? -1 : (Int(records) + capacity - 1) / capacity
  }

  private init(vault: VaultID, ascending records: ArraySlice<Bytes32>) {
    self.vault = vault
    var writer = ByteWriter(reserving: 32 + records.count * Bytes32.count)
    writer.begin(.recordList)
    writer.fixed(vault.raw)
    writer.list(Array(records)) { $0.fixed($1) }
    bytes = writer.bytes
    hashes = Array(writer.bytes.suffix(records.count * Bytes32.count))
    hash = Hash.digest(writer.bytes, domain: .recordList)
  }

  /// Reads an object.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.recordList.name)
    try reader.begin(.recordList)
    vault = VaultID(try reader.bytes16("vault"))
    let records = try reader.ascendingList("records", cap: Self.capacity, by: \.self) { (reader) throws(FormatError) in
      try reader.bytes32("record")
    }
    guard !records.isEmpty else { throw reader.failure(.invalidValue, "records") }
    try reader.finish()
    self.bytes = bytes
    hashes = Array(bytes.suffix(records.count * Bytes32.count))
    hash = Hash.digest(bytes, domain: .recordList)
  }

  package func contains(_ record: RecordHash) -> Bool {
    index(of: record.raw, among: count) { Bytes32(in: hashes, at: $0 * Bytes32.count) } != nil
  }
}
