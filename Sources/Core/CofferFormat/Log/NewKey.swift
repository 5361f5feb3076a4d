package import CofferCrypto

/// A key that one of the entries after a revocation or a succession introduces in place of an earlier one.
package struct NewKey: Hashable, Comparable, Coded {
  /// The group; ``GroupID/none`` for the transport key.
  package let group: GroupID
  package let generation: UInt32
  package let commitment: Bytes32

  package init(group: GroupID, generation: UInt32, commitment: Bytes32) {
    self.group = group
    self.generation = generation
    self.commitment = commitment
  }

  package static func < (left: NewKey, right: NewKey) -> Bool { left.group < right.group }

  package func write(to writer: inout ByteWriter) {
    writer.fixed(group.raw)
    writer.u32(generation)
    writer.fixed(commitment)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    group = GroupID(try reader.bytes16("group"))
    generation = try reader.u32("generation")
    commitment = try reader.bytes32("commitment")
  }
}
