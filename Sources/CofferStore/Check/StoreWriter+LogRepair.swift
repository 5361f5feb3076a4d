extension StoreWriter {
  /// Replaces the bytes of a log entry by those that its envelope or its signature proves.
  package func repairLogEntry(_ sequence: UInt64, entry: [UInt8], envelope: [UInt8]) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      "UPDATE log SET entry = ?2, envelope = ?3 WHERE sequence = ?1",
      [.integer(Int64(clamping: sequence)), .blob(entry), .blob(envelope)])
  }

  /// Deletes the log entries from `sequence` on, which cannot be verified. The next sync fetches them.
  package func deleteLog(from sequence: UInt64) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      "DELETE FROM log WHERE sequence >= ?1 OR sequence < 1", [.integer(Int64(clamping: sequence))])
  }
}
