internal import CofferFormat

extension StoreAccess where Self: ~Copyable {
  /// Returns the bytes of an object; nil if the store does not have it. The caller verifies them.
  package func object(_ key: StoredObject.Key) throws(StoreError) -> [UInt8]? {
    try connection.bytes("SELECT bytes FROM object WHERE kind = ?1 AND name = ?2", key.values)
  }

  /// Returns all objects of a kind without their bytes, in ascending order.
  package func objects(_ kind: StoredObject.Kind) throws(StoreError) -> [StoredObject] {
    // A check deletes rows without a name.
    try connection.rows(
      "SELECT name, published FROM object WHERE kind = ?1 ORDER BY name", [.text(kind.rawValue)]
    ) { (row) throws(StoreError) in
      StoredObject.Key(kind, named: row.bytes(0)).map { StoredObject(key: $0, published: row.optionalBytes(1)) }
    }.compactMap { $0 }
  }

  /// Returns the size in bytes of the chunks of an epoch's snapshot, without their envelopes.
  package func chunkByteCount(of epoch: UInt32) throws(StoreError) -> Int {
    let first = StoredObject.Key.chunk(0, epoch: epoch)
    let last = StoredObject.Key.chunk(.max, epoch: epoch)
    return Int(
      clamping: try connection.integer(
        "SELECT ifnull(sum(length(bytes)), 0) FROM object WHERE kind = ?1 AND name BETWEEN ?2 AND ?3",
        first.values + last.values.suffix(1)) ?? 0)
  }
}
