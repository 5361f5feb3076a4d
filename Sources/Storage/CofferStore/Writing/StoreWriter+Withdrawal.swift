internal import CofferCrypto
package import CofferFormat

extension StoreWriter {
  /// Withdraws the segments of a stream from a number on: the remote has others under these numbers. The caller, who
  /// can open their records, must add these to the outbox. `covered` is the last segment of the stream that the
  /// snapshot of the epoch covers; nil if it covers none.
  package func withdrawSegments(
    of stream: StreamID, from number: UInt64, after covered: StreamPosition?
  ) throws(StoreError) {
    let values: [SQLValue] = [.id(stream.raw), .integer(Int64(clamping: number))]
    try connection.delete(from: .unadmitted, where: "stream = ?1 AND number >= ?2", values)
    try connection.delete(from: .segment, where: "stream = ?1 AND number >= ?2", values)
    try connection.changing(.stream, where: "stream = ?1", [.id(stream.raw)]) { () throws(StoreError) in
      try setEnd(of: stream, after: covered)
    }
  }

  /// Sets the head of a stream to its last segment, or to the one that the snapshot covers.
  private func setEnd(of stream: StreamID, after covered: StreamPosition?) throws(StoreError) {
    let rows = try connection.statement(
      "SELECT number, hash FROM segment WHERE stream = ?1 ORDER BY number DESC LIMIT 1", [.id(stream.raw)])
    let last: (number: UInt64, hash: Bytes32)? =
      try rows.step()
      ? (try rows.unsigned(0, "segment.number"), try rows.bytes32(1, "segment.hash"))
      : covered.map { ($0.number, $0.hash.raw) }
    if let (number, hash) = last {
      try connection.run(
        "UPDATE stream SET number = ?2, hash = ?3 WHERE stream = ?1",
        [.id(stream.raw), .integer(Int64(clamping: number)), .hash(hash)])
    } else {
      try connection.run("DELETE FROM stream WHERE stream = ?1", [.id(stream.raw)])
    }
  }
}
