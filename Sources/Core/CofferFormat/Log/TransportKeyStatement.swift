package import CofferCrypto

/// A generation of the vault-wide key that seals all synced objects. Its boxes are in the entry's envelope, because they
/// must be readable before the entry is.
package struct TransportKeyStatement: Hashable, Sendable {
  /// The number of the generation, 1 for the first.
  package let generation: UInt32
  /// The commitment to the key, against which each recipient checks the key from its box.
  package let commitment: Bytes32
  /// The previous generation, sealed under this one; empty for the first.
  package let wrappedPrevious: [UInt8]
  /// The hash of the boxes, see ``Envelope/boxesHash``: whoever can seal the entry again could otherwise leave them out, and
  /// nobody without the key could open it any more.
  package let boxes: Bytes32

  /// Takes the previous generation, sealed under this one, and the boxes in the order in which the envelope of the
  /// entry has them.
  package init(generation: UInt32, commitment: Bytes32, wrappedPrevious: [UInt8], boxes: [[UInt8]]) {
    self.generation = generation
    self.commitment = commitment
    self.wrappedPrevious = wrappedPrevious
    self.boxes = Envelope.hash(of: boxes)
  }

  func write(to writer: inout ByteWriter) {
    writer.u32(generation)
    writer.fixed(commitment)
    writer.data(wrappedPrevious)
    writer.fixed(boxes)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    generation = try reader.u32("generation")
    commitment = try reader.bytes32("commitment")
    wrappedPrevious = try reader.data("wrapped previous", cap: 32 + SymmetricKey.overheadByteCount)
    boxes = try reader.bytes32("boxes")
  }
}
