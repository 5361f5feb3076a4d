package import CofferCrypto

/// The hash of a segment's signed part.
package struct SegmentHash: ObjectHash {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }
}
