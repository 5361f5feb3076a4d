internal import CofferCrypto
internal import CofferFormat

extension StoreWriter {
  /// Sets a setting; nil takes it away.
  package func setSetting(_ setting: Setting, _ value: [UInt8]?) throws(StoreError) {
    // A remote that is set or taken away changes what of the log counts.
    connection.logChanges.note()
    if let value {
      try connection.run(
        "INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)", [.text(setting.rawValue), .blob(value)])
    } else {
      try connection.run("DELETE FROM setting WHERE name = ?1", [.text(setting.rawValue)])
    }
  }

  /// Replaces the sealed root keys, after root's succession.
  package func setRootSlot(_ rootSlot: [UInt8]) throws(StoreError) {
    try connection.run("UPDATE vault SET root_slot = ?1 WHERE id = 1", [.blob(rootSlot)])
  }

  /// Appends the entry behind the log's last one.
  ///
  /// Throws ``StoreError/Code/missing`` where `sequence` leaves a gap, or where a published entry would follow one
  /// that is not, and ``StoreError/Code/alreadyExists`` where there is an entry of that sequence.
  package func appendLogEntry(
    sequence: UInt64, entry: [UInt8], envelope: [UInt8], isPublished: Bool
  ) throws(StoreError) {
    connection.logChanges.note()
    let length = try logLength()
    guard sequence > length else {
      throw connection.failure(.alreadyExists, "the membership log has an entry \(sequence) already")
    }
    guard sequence == length + 1, let number = Int64(exactly: sequence) else {
      throw connection.failure(
        .missing, "membership log entry \(sequence) does not follow entry \(length); fetch the entries between")
    }
    if isPublished,
      try connection.integer("SELECT 1 FROM log WHERE published = 0 AND sequence = ?1", [.integer(number - 1)]) != nil
    {
      throw connection.failure(
        .missing, "membership log entry \(length) is not published; discard it before taking entry \(sequence)")
    }
    try connection.run(
      "INSERT INTO log (sequence, published, entry, envelope) VALUES (?1, ?2, ?3, ?4)",
      [.integer(number), .flag(isPublished), .blob(entry), .blob(envelope)])
  }

  /// Notes that the remote holds the entries up to and with `sequence`.
  package func markLogPublished(through sequence: UInt64) throws(StoreError) {
    connection.logChanges.note()
    try connection.run(
      "UPDATE log SET published = 1 WHERE sequence <= ?1 AND published = 0",
      [.integer(Int64(clamping: sequence))])
  }

  /// Drops the entries that the remote has not taken, for the loser of a race; the result is their number.
  @discardableResult
  package func discardUnpublishedLog() throws(StoreError) -> Int {
    connection.logChanges.note()
    return try connection.run("DELETE FROM log WHERE published = 0")
  }
}
