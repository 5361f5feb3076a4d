package import CofferCrypto

/// The identifier of a stream, the chain of segments that one device writes: 16 bytes. ``StreamNaming`` makes those of new
/// streams.
package struct StreamID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  /// Generates a random identifier.
  package static func random() -> StreamID { StreamID(Bytes16(Random.bytes(count: 16)) ?? .zero) }
}
