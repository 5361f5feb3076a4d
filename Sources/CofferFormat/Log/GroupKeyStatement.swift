package import CofferCrypto

/// A secret sealed to one recipient.
package struct AddressedBox: Hashable, Sendable {
  /// A principal, an admin, or ``AuthorID/root``.
  package let recipient: AuthorID
  /// A libsodium sealed box of 64 secret bytes: 112 bytes.
  package let box: [UInt8]

  /// The size of ``box``.
  package static let boxByteCount = 64 + BoxKey.overheadByteCount

  package init(recipient: AuthorID, box: [UInt8]) {
    self.recipient = recipient
    self.box = box
  }
}

/// A generation of a group's key, boxed for everybody who may read the group.
///
/// Each box holds the generation's 32-byte key and the group's constant 32-byte identity key.
package struct GroupKeyStatement: Hashable, Sendable {
  /// The access group's full name.
  package let name: String
  /// 1 for the first.
  package let generation: UInt32
  /// Commits to the 64 bytes in the boxes.
  package let commitment: Bytes32
  /// The generation before, sealed under this one; empty for the first.
  package let wrappedPrevious: [UInt8]
  /// In ascending order of recipient.
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

/// A group's key handed to recipients who came after its generation was made.
package struct GrantStatement: Hashable, Sendable {
  package let group: GroupID
  package let generation: UInt32
  /// In ascending order of recipient.
  package let boxes: [AddressedBox]

  package init(group: GroupID, generation: UInt32, boxes: [AddressedBox]) {
    self.group = group
    self.generation = generation
    self.boxes = boxes.sorted { $0.recipient < $1.recipient }
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(group.raw)
    writer.u32(generation)
    writer.boxes(boxes)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    group = GroupID(try reader.bytes16("group"))
    generation = try reader.u32("generation")
    boxes = try reader.boxes()
  }
}

extension ByteWriter {
  fileprivate mutating func boxes(_ boxes: [AddressedBox]) {
    list(boxes) { writer, box in
      writer.fixed(box.recipient.raw)
      writer.fixed(box.box)
    }
  }
}

extension ByteReader {
  fileprivate mutating func boxes() throws(FormatError) -> [AddressedBox] {
    try ascendingList("boxes", cap: Limits.boxes, by: \.recipient) { (reader) throws(FormatError) in
      let recipient = AuthorID(try reader.bytes16("recipient"))
      return AddressedBox(recipient: recipient, box: try reader.fixed(AddressedBox.boxByteCount, "box"))
    }
  }
}
