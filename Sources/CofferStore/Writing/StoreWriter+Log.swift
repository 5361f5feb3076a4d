internal import CofferCrypto
internal import CofferFormat

extension StoreWriter {
  /// Sets a setting; nil removes it.
  package func setSetting(_ setting: Setting, _ value: [UInt8]?) throws(StoreError) {
    // Setting or removing the remote changes which entries of the log count.
    connection.logChanges.increment()
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

  /// Appends an entry to the log.
  ///
  /// - Parameters:
  ///   - sequence: The number of the entry, which must follow the last one.
  ///   - entry: The bytes of the signed object.
  ///   - envelope: The object sealed for transport.
  ///   - isPublished: True if the remote has the entry.
  /// - Throws: ``StoreError/Code/missing`` if `sequence` leaves a gap, or a published entry would follow an unpublished
  ///   one; ``StoreError/Code/alreadyExists`` if the log has an entry with this number.
  package func appendLogEntry(
    sequence: UInt64, entry: [UInt8], envelope: [UInt8], isPublished: Bool
  ) throws(StoreError) {
    connection.logChanges.increment()
    let length = try logLength()
    guard sequence > length else {
      throw connection.failure(.alreadyExists, "the membership log already has an entry \(sequence)")
    }
    guard sequence == length + 1, let number = Int64(exactly: sequence) else {
      throw connection.failure(
        .missing, "membership log entry \(sequence) does not follow entry \(length); fetch the entries between")
    }
    if isPublished,
      try connection.integer("SELECT 1 FROM log WHERE published = 0 AND sequence = ?1", [.integer(number - 1)]) != nil
    {
      throw connection.failure(
        .missing, "membership log entry \(length) is not published; discard it before adding entry \(sequence)")
    }
    try connection.run(
      "INSERT INTO log (sequence, published, entry, envelope) VALUES (?1, ?2, ?3, ?4)",
      [.integer(number), .flag(isPublished), .blob(entry), .blob(envelope)])
  }

  /// Marks the entries up to and including `sequence` as published.
  package func markLogPublished(through sequence: UInt64) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      "UPDATE log SET published = 1 WHERE sequence <= ?1 AND published = 0",
      [.integer(Int64(clamping: sequence))])
  }

  /// Deletes the unpublished entries after a lost race. Returns their number.
  @discardableResult
  package func discardUnpublishedLog() throws(StoreError) -> Int {
    connection.logChanges.increment()
    return try connection.run("DELETE FROM log WHERE published = 0")
  }
}
