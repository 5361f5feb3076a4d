internal import CofferCrypto

/// A secret sealed to one recipient.
package struct AddressedBox: Hashable, Sendable {
  /// The recipient: a principal, an admin, or ``AuthorID/root``.
  package let recipient: AuthorID
  /// A libsodium sealed box of 64 secret bytes, 112 bytes long.
  package let box: [UInt8]

  /// The size of ``box`` in bytes.
  package static let boxByteCount = 64 + BoxKey.overheadByteCount

  package init(recipient: AuthorID, box: [UInt8]) {
    self.recipient = recipient
    self.box = box
  }
}

extension ByteWriter {
  /// Writes boxes in ascending order of recipient.
  package mutating func boxes(_ boxes: [AddressedBox]) {
    list(boxes) { writer, box in
      writer.fixed(box.recipient.raw)
      writer.fixed(box.box)
    }
  }
}

extension ByteReader {
  mutating func boxes() throws(FormatError) -> [AddressedBox] {
    try ascendingList("boxes", cap: Limits.boxes, by: \.recipient) { (reader) throws(FormatError) in
      let recipient = AuthorID(try reader.bytes16("recipient"))
      return AddressedBox(recipient: recipient, box: try reader.fixed(AddressedBox.boxByteCount, "box"))
    }
  }
}
