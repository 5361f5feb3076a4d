internal import CofferCrypto
package import CofferFormat

extension StoreWriter {
  /// Withdraws the unpublished segments of a stream, so that it ends where it ends on the remote: a copy of this
  /// machine has used their numbers. The caller, who can open their records, must add these to the outbox again.
  package func withdrawUnpublishedSegments(of stream: StreamID) throws(StoreError) {
    try connection.run("DELETE FROM segment WHERE stream = ?1 AND published IS NULL", [.id(stream.raw)])
    let rows = try connection.statement(
      "SELECT number, hash FROM segment WHERE stream = ?1 ORDER BY number DESC LIMIT 1", [.id(stream.raw)])
    if try rows.step() {
      let number = try rows.unsigned(0, "segment.number")
      let hash = try rows.bytes32(1, "segment.hash")
      try connection.run(
        "UPDATE stream SET number = ?2, hash = ?3 WHERE stream = ?1",
        [.id(stream.raw), .integer(Int64(clamping: number)), .hash(hash)])
    } else {
      try connection.run("DELETE FROM stream WHERE stream = ?1", [.id(stream.raw)])
    }
  }
}
