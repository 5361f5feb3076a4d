internal import CofferPlatform
internal import GRDBSQLite

/// What could be read of a damaged file.
package struct StoreSalvage: Sendable {
  /// The number of rows that were taken over.
  package internal(set) var rowCount = 0
  /// The tables of which a part could not be read, in the order of the schema.
  package internal(set) var incompleteTables: [String] = []

  package init() {}
}

extension Store {
  /// Builds a store from what can be read of a damaged file, without its indexes. Which rows are missing or wrong is
  /// for the check of the new store to find. `replace` is called with the result when the new store is complete, to
  /// move it into the place of the old one: nobody can write to the old one until then, and programs that have it open
  /// cannot do that afterwards.
  ///
  /// Throws ``StoreError/Code/corrupt`` if the file is no store, or the row of the vault cannot be read.
  package static func salvage(
    from source: String, to path: String, replace: (StoreSalvage) throws -> Void
  ) throws {
    let old = try connect(path: source)
    try old.access { (database) throws in
      let damaged = StoreConnection(database: database, path: source)
      try Schema.verify(on: damaged)
      // Once the write-ahead log is moved away, an interruption leaves the file alone: it must have all commits.
      try? damaged.moveLogIntoFile()
      // On some damaged files, nobody can write, and so nobody has to be kept from it.
      let isLocked = try beginIfPossible(damaged)
      do {
        try replace(try copy(damaged, to: path))
      } catch {
        if isLocked, damaged.isInTransaction { _ = try? damaged.run("ROLLBACK") }
        throw error
      }
      guard isLocked else { return }
      _ = try? damaged.run("CREATE TABLE \(Schema.retiredTable) (id INTEGER)")
      _ = try? damaged.run("COMMIT")
    }
  }

  private static func beginIfPossible(_ connection: StoreConnection) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try connection.run("BEGIN IMMEDIATE")
      return true
    } catch {
      guard error.code == .corrupt else { throw error }
      return false
    }
  }

  private static func copy(_ damaged: StoreConnection, to path: String) throws -> StoreSalvage {
    guard let vault = try damaged.rows("SELECT genesis, root_slot FROM vault", [], { ($0.bytes(0), $0.bytes(1)) }).first
    else { throw damaged.failure(.corrupt, StoreError.damaged) }
    let new = try create(at: path, genesis: vault.0, rootSlot: vault.1)
    var salvage = StoreSalvage()
    try new.withDatabase { (database) throws in
      let connection = StoreConnection(database: database, path: path)
      // A row of the outbox that has lost its record says that one is lost.
      try connection.run("PRAGMA foreign_keys = OFF")
      try connection.run("BEGIN IMMEDIATE")
      for table in Schema.tables where table != "vault" {
        var copy = TableSalvage(of: table, from: damaged, to: connection)
        try copy.run()
        salvage.rowCount += copy.rowCount
        if !copy.isComplete { salvage.incompleteTables.append(table) }
      }
      try connection.run("COMMIT")
      try connection.run("PRAGMA foreign_keys = ON")
    }
    try new.moveLogIntoFile()
    return salvage
  }
}

extension Schema {
  /// The names of the tables, in the order of creation.
  fileprivate static var tables: [String] { objects.filter { $0.sql.hasPrefix("CREATE TABLE") }.map(\.name) }

  /// Whether rows of a table have numbers.
  fileprivate static func hasRowNumbers(_ table: String) -> Bool {
    objects.first { $0.name == table }?.sql.hasSuffix("WITHOUT ROWID") == false
  }
}

/// Copies the rows of one table that can be read. A damaged page hides the rows on it, so the table is read from both
/// ends, and between two damaged pages by halves.
private struct TableSalvage {
  private let table: String
  private let damaged: StoreConnection
  private let new: StoreConnection
  private let hasRowNumbers: Bool
  private(set) var rowCount = 0
  private(set) var isComplete = true
  /// How many ranges are still tried: the numbers of a hostile file can be far apart.
  private var remainingRanges = 4_096

  init(of table: String, from damaged: StoreConnection, to new: StoreConnection) {
    self.table = table
    self.damaged = damaged
    self.new = new
    hasRowNumbers = Schema.hasRowNumbers(table)
  }

  mutating func run() throws(StoreError) {
    let columns = try new.rows("PRAGMA table_info(\(table))", []) { (row) throws(StoreError) in row.text(1) }
    let names = columns.joined(separator: ", ")
    let all = hasRowNumbers ? "rowid, \(names)" : names
    let values = (1...columns.count + (hasRowNumbers ? 1 : 0)).map { "?\($0)" }.joined(separator: ", ")
    let insert = "INSERT OR IGNORE INTO \(table) (\(all)) VALUES (\(values))"
    let select = "SELECT \(all) FROM \(table) NOT INDEXED"
    guard hasRowNumbers else {
      // Its rows are in the order of the primary key, from which there is no way around a damaged page.
      isComplete = try copy(select, [], columns.count, insert).isWhole
      return
    }
    try copy(from: .min, to: .max, select, columns.count + 1, insert)
  }

  /// Copies the rows with these numbers.
  private mutating func copy(
    from first: Int64, to last: Int64, _ select: String, _ columnCount: Int, _ insert: String
  ) throws(StoreError) {
    guard first <= last, remainingRanges > 0 else { return }
    remainingRanges -= 1
    let bounds = [SQLValue.integer(first), .integer(last)]
    let forward = try copy("\(select) WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid", bounds, columnCount, insert)
    guard !forward.isWhole else { return }
    isComplete = false
    let backward = try copy("\(select) WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid DESC", bounds, columnCount, insert)
    let low = forward.end.map { $0 == .max ? $0 : $0 + 1 } ?? first
    let high = backward.end.map { $0 == .min ? $0 : $0 - 1 } ?? last
    guard low < high else { return }
    // Without a row at either end, half of the distance is the most that a number can be.
    let middle = low + Int64((UInt64(bitPattern: high) &- UInt64(bitPattern: low)) / 2)
    try copy(from: low, to: middle, select, columnCount, insert)
    try copy(from: middle + 1, to: high, select, columnCount, insert)
  }

  /// Copies what a query returns until it fails. Returns whether it did not, and the number of the last row.
  private mutating func copy(
    _ select: String, _ values: [SQLValue], _ columnCount: Int, _ insert: String
  ) throws(StoreError) -> (isWhole: Bool, end: Int64?) {
    var end: Int64?
    do throws(StoreError) {
      let rows = try damaged.freshStatement(select, values)
      while try rows.step() {
        let row = (0..<Int32(columnCount)).map { rows.value($0) }
        if hasRowNumbers { end = rows.integer(0) }
        try add(row, insert)
      }
      return (true, end)
    } catch {
      guard error.code == .corrupt, error.path == damaged.path else { throw error }
      return (false, end)
    }
  }

  /// Adds a row, unless it is there already or has a value of another type than its table.
  private mutating func add(_ row: [SQLValue], _ insert: String) throws(StoreError) {
    do throws(StoreError) {
      rowCount += try new.run(insert, row)
    } catch {
      guard error.code == .corrupt else { throw error }
      isComplete = false
    }
  }
}

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
  /// Makes the store unusable for programs that have it open, because its file is replaced: a write to the old file
  /// would be lost. They report the added table.
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
