package import CofferCrypto

/// The hash of a record's signed part, which identifies the record.
package struct RecordHash: ObjectHash {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }
}
