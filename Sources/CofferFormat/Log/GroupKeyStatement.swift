package import CofferCrypto

/// A generation of a group's key, sealed for everybody who may read the group.
///
/// Each box contains the generation's 32-byte key and the group's constant 32-byte identity key.
package struct GroupKeyStatement: Hashable, Sendable {
  /// The access group's full name.
  package let name: String
  /// The number of the generation, 1 for the first.
  package let generation: UInt32
  /// The commitment to the 64 bytes in the boxes.
  package let commitment: Bytes32
  /// The previous generation, sealed under this one; empty for the first.
  package let wrappedPrevious: [UInt8]
  /// The boxes in ascending order of recipient.
  package let boxes: [AddressedBox]

  package init(
    name: String, generation: UInt32, commitment: Bytes32, wrappedPrevious: [UInt8], boxes: [AddressedBox]
  ) {
    self.name = name
    self.generation = generation
    self.commitment = commitment
    self.wrappedPrevious = wrappedPrevious
    self.boxes = boxes.sorted { $0.recipient < $1.recipient }
  }

  func write(to writer: inout ByteWriter) {
    writer.string(name)
    writer.u32(generation)
    writer.fixed(commitment)
    writer.data(wrappedPrevious)
    writer.boxes(boxes)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    name = try reader.string("group", cap: Limits.identifierByteCount)
    generation = try reader.u32("generation")
    commitment = try reader.bytes32("commitment")
    wrappedPrevious = try reader.data("wrapped previous", cap: 64 + SymmetricKey.overheadByteCount)
    boxes = try reader.boxes()
  }
}
