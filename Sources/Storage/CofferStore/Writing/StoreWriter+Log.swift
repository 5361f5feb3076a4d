internal import CofferCrypto
package import CofferFormat

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

  /// Replaces the slot of the first root.
  package func setRootSlot(_ rootSlot: [UInt8]) throws(StoreError) {
    try connection.run("UPDATE vault SET root_slot = ?1 WHERE id = 1", [.blob(rootSlot)])
  }

  /// Appends an entry to the log: the signed object, and `envelope`, which seals it for transport. `published` is the
  /// identifier of the file on the remote, empty if it is unknown; nil if the remote does not have the entry. Throws
  /// ``StoreError/Code/missing`` if `sequence` leaves a gap, or a published entry would follow an unpublished one, and
  /// ``StoreError/Code/alreadyExists`` if the log has an entry with this number.
  package func appendLogEntry(
    sequence: UInt64, entry: [UInt8], envelope: [UInt8], published: [UInt8]?
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
    // If the store has lost entries that counted, this one is none of them.
    if let kept: UInt64 = try value(.keptLogLength), kept > length { try set(.keptLogLength, to: length) }
    if published != nil,
      try connection.integer("SELECT 1 FROM log WHERE published IS NULL AND sequence = ?1", [.integer(number - 1)])
        != nil
    {
      throw connection.failure(
        .missing, "membership log entry \(length) is not published; discard it before adding entry \(sequence)")
    }
    try connection.recordInsertion(into: .log, [.integer(number), .blob(entry)])
    try connection.run(
      "INSERT INTO log (sequence, published, entry, envelope) VALUES (?1, ?2, ?3, ?4)",
      [.integer(number), .optionalBlob(published), .blob(entry), .blob(envelope)])
  }

  /// Marks an entry as published, under the identifier of its file on the remote. The entries before it were published
  /// too, because they are pushed in ascending order.
  package func markLogPublished(_ sequence: UInt64, as file: [UInt8]) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      "UPDATE log SET published = x'' WHERE sequence < ?1 AND published IS NULL",
      [.integer(Int64(clamping: sequence))])
    try connection.run(
      "UPDATE log SET published = ?2 WHERE sequence = ?1", [.integer(Int64(clamping: sequence)), .blob(file)])
  }

  /// Replaces an entry by a copy of it, which the remote has: sealed again, or with another signature.
  package func replaceLogEntry(
    _ sequence: UInt64, by entry: [UInt8], _ envelope: [UInt8], as file: [UInt8]
  ) throws(StoreError) {
    try markLogPublished(sequence, as: file)
    let number = SQLValue.integer(Int64(clamping: sequence))
    try connection.update(
      .log, where: "sequence = ?1", [number], set: "entry = ?2, envelope = ?3", [.blob(entry), .blob(envelope)])
  }

  /// Inserts a valid entry of another branch of the log, unless the store has it already. `envelope` seals it for
  /// transport.
  package func insertCompetingEntry(
    _ hash: EntryHash, sequence: UInt64, entry: [UInt8], envelope: [UInt8]
  ) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      "INSERT OR IGNORE INTO rival (hash, sequence, entry, envelope) VALUES (?1, ?2, ?3, ?4)",
      [.hash(hash.raw), .integer(Int64(clamping: sequence)), .blob(entry), .blob(envelope)])
  }

  /// Deletes the entries that give way to another machine's, after a lost race. Returns their number.
  @discardableResult
  package func discardUnpublishedLog() throws(StoreError) -> Int {
    connection.logChanges.increment()
    return try connection.delete(
      from: .log, where: "published IS NULL AND sequence > ?1", [.integer(Int64(clamping: settledLogLength()))])
  }
}

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
