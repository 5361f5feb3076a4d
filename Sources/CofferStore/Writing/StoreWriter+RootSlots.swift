package import CofferCrypto
package import CofferFormat

/// The slots of roots after the first.
extension StoreWriter {
  /// Stores the slot of a later root, in place of another form of it. `published` is the identifier of its file on the
  /// remote; nil if the remote does not have it.
  package func insert(_ slot: RootSlot, published: [UInt8]?) throws(StoreError) {
    try connection.run(
      """
      INSERT INTO root_slot (hash, published, object) VALUES (?1, ?2, ?3)
      ON CONFLICT (hash) DO UPDATE SET object = excluded.object, published = coalesce(excluded.published, published)
      """,
      [.hash(slot.hash), .optionalBlob(published), .blob(slot.bytes)])
  }

  /// Marks a slot as published, under the identifier of its file on the remote.
  package func markRootSlotPublished(_ hash: Bytes32, as file: [UInt8]) throws(StoreError) {
    try connection.run("UPDATE root_slot SET published = ?2 WHERE hash = ?1", [.hash(hash), .blob(file)])
  }

  /// Deletes the slot of a later root.
  package func deleteRootSlot(_ hash: Bytes32) throws(StoreError) {
    try connection.run("DELETE FROM root_slot WHERE hash = ?1", [.hash(hash)])
  }
}
