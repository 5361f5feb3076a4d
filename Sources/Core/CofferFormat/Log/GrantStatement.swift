/// A generation of a group's key, sealed for recipients that were added after the generation was created.
package struct GrantStatement: Hashable, Sendable {
  package let group: GroupID
  package let generation: UInt32
  /// The boxes in ascending order of recipient.
  package let boxes: [AddressedBox]

  package init(group: GroupID, generation: UInt32, boxes: [AddressedBox]) {
    self.group = group
    self.generation = generation
    self.boxes = boxes.sorted { $0.recipient < $1.recipient }
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(group.raw)
    writer.u32(generation)
    writer.list(boxes)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    group = GroupID(try reader.bytes16("group"))
    generation = try reader.u32("generation")
    boxes = try reader.ascendingList("boxes", cap: Limits.boxes, by: \.recipient)
  }
}
