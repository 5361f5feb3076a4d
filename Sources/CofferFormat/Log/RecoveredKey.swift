package import CofferCrypto

/// A group's key of a branch of the log that root rejects, sealed under a key of the branch that stays: so what was written
/// under it can still be read.
package struct RecoveredKey: Hashable, Comparable, Sendable {
  package let group: GroupID
  /// The number of the key's generation on its own branch. The log has another key of this number.
  package let generation: UInt32
  /// The commitment to the key, as on its own branch.
  package let commitment: Bytes32
  /// The generation of the log under which the key is sealed.
  package let wrappingGeneration: UInt32
  package let wrapped: [UInt8]

  package init(
    group: GroupID, generation: UInt32, commitment: Bytes32, wrappingGeneration: UInt32, wrapped: [UInt8]
  ) {
    self.group = group
    self.generation = generation
    self.commitment = commitment
    self.wrappingGeneration = wrappingGeneration
    self.wrapped = wrapped
  }

  package static func < (left: RecoveredKey, right: RecoveredKey) -> Bool {
    (left.group, left.generation, left.commitment) < (right.group, right.generation, right.commitment)
  }
}

extension ByteWriter {
  package mutating func recoveredKey(_ key: RecoveredKey) {
    fixed(key.group.raw)
    u32(key.generation)
    fixed(key.commitment)
    u32(key.wrappingGeneration)
    fixed(key.wrapped)
  }
}

extension ByteReader {
  package mutating func recoveredKey() throws(FormatError) -> RecoveredKey {
    let group = GroupID(try bytes16("group"))
    let generation = try u32("generation")
    let commitment = try bytes32("commitment")
    let wrappingGeneration = try u32("wrapping generation")
    guard generation > 0, wrappingGeneration > 0 else { throw failure(.invalidValue, "generation") }
    return RecoveredKey(
      group: group, generation: generation, commitment: commitment, wrappingGeneration: wrappingGeneration,
      wrapped: try fixed(64 + SymmetricKey.overheadByteCount, "wrapped"))
  }
}
