package import CofferCrypto

/// Hands the vault to new keys of root, which another vault key opens. The old root signs it. The new one signs the
/// entries that follow and belong to it: they replace every key that the old root could open.
package struct SuccessionStatement: Hashable, Sendable {
  /// The new root's public keys.
  package let root: PartyPublicKeys
  /// The number of the new root, from 2. The first root is that of the genesis.
  package let generation: UInt32
  /// The hash of the ``RootSlot`` with the new root's secret keys.
  package let slot: Bytes32
  /// The number of the following entries that take effect together with this one.
  package let followingEntries: UInt32
  /// The keys that these entries introduce in place of older ones, in ascending order of group.
  package let keys: [NewKey]

  package init(
    root: PartyPublicKeys, generation: UInt32, slot: Bytes32, followingEntries: UInt32, keys: [NewKey]
  ) {
    self.root = root
    self.generation = generation
    self.slot = slot
    self.followingEntries = followingEntries
    self.keys = keys.sorted()
  }

  func write(to writer: inout ByteWriter) {
    writer.publicKeys(root)
    writer.u32(generation)
    writer.fixed(slot)
    writer.u32(followingEntries)
    writer.list(keys)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    root = try reader.publicKeys("root")
    generation = try reader.u32("generation")
    guard generation > 1 else { throw reader.failure(.invalidValue, "generation") }
    slot = try reader.bytes32("slot")
    followingEntries = try reader.u32("following entries")
    keys = try reader.ascendingList("keys", cap: Limits.newKeys, by: \.group)
  }
}
