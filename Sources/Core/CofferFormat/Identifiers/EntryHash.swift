package import CofferCrypto

/// The hash of a log entry's signed part. The first entry follows the genesis' hash.
package struct EntryHash: ObjectHash {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }
}
