extension Store {
  /// Whether ``StoreWriter/retire()`` has made a store unusable. Throws ``StoreError`` if the file cannot be read.
  package static func isRetired(at path: String) throws(StoreError) -> Bool {
    try connect(path: path).access { (database) throws(StoreError) in
      try StoreConnection(database: database, path: path)
        .text("SELECT name FROM sqlite_schema WHERE name = '\(Schema.retiredTable)'") != nil
    }
  }
}

extension StoreWriter {
  /// Makes the store unusable for programs that have it open, because its file is replaced: a write to the old file would
  /// be lost. They report the added table.
  package func retire() throws(StoreError) { try connection.run("CREATE TABLE \(Schema.retiredTable) (id INTEGER)") }

  /// Returns the records with contents after row `last`, in ascending order of row: as many as fit into `byteLimit`
  /// bytes, and at least one if there is any.
  package func heldRecords(after last: Int64?, byteLimit: Int) throws(StoreError) -> [StoredRecord] {
    let columns = RecordColumns(withValue: true)
    let condition = last == nil ? "" : "AND r.id > ?1"
    let rows = try connection.statement(
      "SELECT \(columns.sql) FROM record r WHERE length(r.signed) > 0 \(condition) ORDER BY r.id",
      last.map { [.integer($0)] } ?? [])
    return try records(rows, byteLimit: byteLimit)
  }
}
