package import CofferCrypto

/// A new access group: the first generation of its key, sealed for everybody who may read the group.
///
/// Each box contains the generation's 32-byte key and the group's constant 32-byte identity key.
package struct GroupKeyStatement: Hashable, Sendable {
  /// The access group's full name.
  package let name: String
  /// The commitment to the 64 bytes in the boxes.
  package let commitment: Bytes32
  /// The boxes in ascending order of recipient.
  package let boxes: [AddressedBox]

  package init(name: String, commitment: Bytes32, boxes: [AddressedBox]) {
    self.name = name
    self.commitment = commitment
    self.boxes = boxes.sorted { $0.recipient < $1.recipient }
  }

  func write(to writer: inout ByteWriter) {
    writer.string(name)
    writer.fixed(commitment)
    writer.list(boxes)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    name = try reader.string("group", cap: Limits.identifierByteCount)
    commitment = try reader.bytes32("commitment")
    boxes = try reader.ascendingList("boxes", cap: Limits.boxes, by: \.recipient)
  }
}
