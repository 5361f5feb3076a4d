internal import CofferFormat

/// A row of `record` from which an entry of a snapshot is made.
package struct SnapshotSource: Hashable, Sendable {
  package let row: Int64
  package let entry: Entry

  package enum Entry: Hashable, Sendable {
    /// A head: a record that counts and that nothing supersedes.
    case head(StoredRecord)
    /// The signed bytes of a superseded version.
    case superseded([UInt8])
    /// A record that does not count, in no segment of the store.
    case unadmitted(StoredRecord)
  }

  package var byteCount: Int {
    switch entry {
    case .head(let record), .unadmitted(let record):
      record.signedBytes.count + record.sealedAttributes.count + (record.sealedValue?.count ?? 0)
    case .superseded(let bytes): bytes.count
    }
  }
}
