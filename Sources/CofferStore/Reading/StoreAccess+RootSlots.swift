package import CofferCrypto

/// Look-ups of the slots of roots after the first.
extension StoreAccess where Self: ~Copyable {
  /// Returns all slots of later roots, in ascending order of hash.
  package func laterRootSlots() throws(StoreError) -> [StoredRootSlot] {
    let rows = try connection.statement("SELECT hash, object, published FROM root_slot ORDER BY hash")
    var slots: [StoredRootSlot] = []
    while try rows.step() {
      slots.append(
        StoredRootSlot(
          hash: try rows.bytes32(0, "root_slot.hash"), bytes: rows.bytes(1), published: rows.optionalBytes(2)))
    }
    return slots
  }

  /// Returns the bytes of the slot of a later root; nil if the store does not have it. The caller compares them with the
  /// hash.
  package func laterRootSlot(_ hash: Bytes32) throws(StoreError) -> [UInt8]? {
    let rows = try connection.statement("SELECT object FROM root_slot WHERE hash = ?1", [.hash(hash)])
    return try rows.step() ? rows.bytes(0) : nil
  }
}
