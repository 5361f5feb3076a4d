package import CofferCrypto

/// A group's key of a branch of the log that root rejects, sealed under a key of the branch that stays: so what was written
/// under it can still be read.
package struct RecoveredKey: Hashable, Comparable, Coded {
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

  package func write(to writer: inout ByteWriter) {
    writer.fixed(group.raw)
    writer.u32(generation)
    writer.fixed(commitment)
    writer.u32(wrappingGeneration)
    writer.fixed(wrapped)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    group = GroupID(try reader.bytes16("group"))
    generation = try reader.u32("generation")
    commitment = try reader.bytes32("commitment")
    wrappingGeneration = try reader.u32("wrapping generation")
    guard generation > 0, wrappingGeneration > 0 else { throw reader.failure(.invalidValue, "generation") }
    wrapped = try reader.fixed(64 + SymmetricKey.overheadByteCount, "wrapped")
  }
}
