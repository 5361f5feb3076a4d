package import CofferCrypto

/// The next generation of a group's key, sealed for everybody who may read the group. It names the generation that it
/// wraps, so that one whose boxes are worthless can be passed over.
package struct GroupKeyRenewalStatement: Hashable, Sendable {
  package let group: GroupID
  /// The number of the generation, from 2.
  package let generation: UInt32
  /// The commitment to the 64 bytes in the boxes.
  package let commitment: Bytes32
  /// The newest generation that its maker could open.
  package let wrappedGeneration: UInt32
  /// That generation, sealed under this one.
  package let wrapped: [UInt8]
  /// The boxes in ascending order of recipient.
  package let boxes: [AddressedBox]

  /// The maximum number of boxes in one entry. The other recipients get grants.
  package static let boxCapacity = 8_000

  package init(
    group: GroupID, generation: UInt32, commitment: Bytes32, wrappedGeneration: UInt32, wrapped: [UInt8],
    boxes: [AddressedBox]
  ) {
    self.group = group
    self.generation = generation
    self.commitment = commitment
    self.wrappedGeneration = wrappedGeneration
    self.wrapped = wrapped
    self.boxes = boxes.sorted { $0.recipient < $1.recipient }
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(group.raw)
    writer.u32(generation)
    writer.fixed(commitment)
    writer.u32(wrappedGeneration)
    writer.fixed(wrapped)
    writer.list(boxes)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    group = GroupID(try reader.bytes16("group"))
    generation = try reader.u32("generation")
    commitment = try reader.bytes32("commitment")
    wrappedGeneration = try reader.u32("wrapped generation")
    guard generation > 1, (1..<generation).contains(wrappedGeneration) else {
      throw reader.failure(.invalidValue, "wrapped generation")
    }
    wrapped = try reader.fixed(64 + SymmetricKey.overheadByteCount, "wrapped")
    boxes = try reader.ascendingList("boxes", cap: Limits.boxes, by: \.recipient)
  }
}
