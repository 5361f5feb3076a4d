package import CofferCrypto

/// A part of the snapshot with which an epoch begins. It is not signed: the checkpoint names it by its hash, and every
/// record in it is signed itself.
package struct SnapshotChunk: Sendable {
  package let vault: VaultID
  /// The epoch that begins with the snapshot.
  package let epoch: UInt32
  /// The place of the chunk in the snapshot, 0 for the first.
  package let number: UInt32
  /// The versions of items, in the order in which the author's machine received them. Not empty.
  package let entries: [SnapshotEntry]
  /// The object's bytes.
  package let bytes: [UInt8]
  /// The hash of the object's bytes.
  package let hash: Bytes32

  package init(vault: VaultID, epoch: UInt32, number: UInt32, entries: [SnapshotEntry]) {
    self.vault = vault
    self.epoch = epoch
    self.number = number
    self.entries = entries
    var writer = ByteWriter(reserving: entries.reduce(64) { $0 + $1.byteCount })
    writer.begin(.snapshotChunk)
    writer.fixed(vault.raw)
    writer.u32(epoch)
    writer.u32(number)
    writer.list(entries)
    bytes = writer.bytes
    hash = Hash.digest(writer.bytes, domain: .snapshotChunk)
  }

  /// Reads a chunk. The caller must compare ``hash`` with the checkpoint's.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.snapshotChunk.name)
    try reader.begin(.snapshotChunk)
    vault = VaultID(try reader.bytes16("vault"))
    epoch = try reader.u32("epoch")
    guard epoch >= Checkpoint.firstEpoch else { throw reader.failure(.invalidValue, "epoch") }
    number = try reader.u32("number")
    guard number < Limits.snapshotChunks else { throw reader.failure(.invalidValue, "number") }
    entries = try reader.list("entries", cap: Limits.recordsPerSegment)
    guard !entries.isEmpty else { throw reader.failure(.invalidValue, "entries") }
    try reader.finish()
    self.bytes = bytes
    hash = Hash.digest(bytes, domain: .snapshotChunk)
  }
}
