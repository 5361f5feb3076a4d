package import CofferCrypto

/// The hash of a record's signed part, which identifies the record.
package struct RecordHash: Hashable, Comparable, Sendable {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }

  package static func < (left: RecordHash, right: RecordHash) -> Bool { left.raw < right.raw }
}
