internal import CofferCrypto

/// A secret sealed to one recipient.
package struct AddressedBox: Hashable, Coded {
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

  package func write(to writer: inout ByteWriter) {
    writer.fixed(recipient.raw)
    writer.fixed(box)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    recipient = AuthorID(try reader.bytes16("recipient"))
    box = try reader.fixed(Self.boxByteCount, "box")
  }
}
