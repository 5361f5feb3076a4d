extension StoreWriter {
  /// Replaces the bytes of a log entry by those that its envelope or its signature proves.
  package func repairLogEntry(_ sequence: UInt64, entry: [UInt8], envelope: [UInt8]) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      "UPDATE log SET entry = ?2, envelope = ?3 WHERE sequence = ?1",
      [.integer(Int64(clamping: sequence)), .blob(entry), .blob(envelope)])
  }

  /// Forgets which file of a published entry the remote has.
  package func forgetLogFile(_ sequence: UInt64) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      "UPDATE log SET published = x'' WHERE sequence = ?1 AND published IS NOT NULL",
      [.integer(Int64(clamping: sequence))])
  }

  /// Deletes the log entries from `sequence` on, which cannot be verified. The next sync fetches them.
  package func deleteLog(from sequence: UInt64) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      "DELETE FROM log WHERE sequence >= ?1 OR sequence < 1", [.integer(Int64(clamping: sequence))])
  }
}
