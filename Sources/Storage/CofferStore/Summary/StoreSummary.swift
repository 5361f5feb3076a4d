package import CofferCrypto
internal import CofferFormat

/// The result of comparing the summary with the rows.
package enum SummaryComparison: Hashable, Sendable {
  /// The rows are those that Coffer programs wrote.
  case equal
  /// The store has no summary: the program that wrote it could not read this machine's keys.
  case absent
  /// Another program changed rows of these tables, or the summary.
  case different([String])
}

extension StoreAccess where Self: ~Copyable {
  /// Compares the summary with the rows. Reads every row of the summarised tables without the contents of records,
  /// unless the store was compared within the last day and only Coffer's programs have written to it since.
  package func compareSummary(_ key: SymmetricKey) throws(StoreError) -> SummaryComparison {
    guard let sealed = try connection.bytes("SELECT state FROM summary WHERE id = 1") else { return .absent }
    guard let summary = StoreSummary(sealed: sealed, key: key) else { return .different([]) }
    let isKnown = try connection.stamp?.examine(connection, { key }) == true
    #if !DEBUG
      if isKnown { return .equal }
    #endif
    let current = try StoreSummary.compute(connection, key)
    let tables = SummaryTable.allCases.filter { summary[$0] != current[$0] }
    guard tables.isEmpty else {
      // Debug builds read the rows in any case, so every test of a changed store is one of the stamp too.
      assert(!isKnown, "the stamp says that the rows of \(tables.map(\.name)) are those of the summary")
      return .different(tables.map(\.name))
    }
    if !isKnown { try connection.stamp?.recordComparison(connection, key, isTentative: false) }
    return .equal
  }

  /// Returns the numbers of log entries and of records that the summary counts, or nil without a summary that the key
  /// opens.
  package func summarisedCounts(_ key: SymmetricKey) throws(StoreError) -> (log: Int, records: Int)? {
    guard let sealed = try connection.bytes("SELECT state FROM summary WHERE id = 1"),
      let summary = StoreSummary(sealed: sealed, key: key)
    else { return nil }
    return (Int(clamping: summary[.log].count), Int(clamping: summary[.record].count))
  }
}

extension StoreWriter {
  /// Writes the summary of the rows that the store has now, after a check.
  package func replaceSummary(_ key: SymmetricKey) throws(StoreError) {
    connection.summary?.reset()
    let summary = try StoreSummary.compute(connection, key)
    try connection.run(
      "INSERT OR REPLACE INTO summary (id, state) VALUES (1, ?1)", [.blob(summary.sealed(with: key))])
    try connection.stamp?.recordComparison(connection, key, isTentative: true)
  }
}

/// The number of rows of each summarised table, and a multiset hash of them: the XOR of a keyed hash of each row
/// (MSet-XOR-Hash of Clarke, Devadas, van Dijk, Gassend and Suh, "Incremental Multiset Hash Functions and Their
/// Application to Memory Integrity Checking", ASIACRYPT 2003). It is stored sealed, so that nobody without the key can
/// compute another one or learn the hash of a row.
struct StoreSummary: Equatable {
  /// The rows of one table.
  struct Entry: Equatable {
    var count: Int64 = 0
    var hash = SIMD4<UInt64>.zero

    mutating func toggle(_ row: Bytes32, by difference: Int64) {
      count &+= difference
      unsafe row.withBytes { bytes in
        for index in 0..<4 {
          hash[index] ^= unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
      }
    }
  }

  private var entries = [Entry](repeating: Entry(), count: SummaryTable.allCases.count)

  subscript(table: SummaryTable) -> Entry {
    get { entries[Int(table.rawValue) - 1] }
    set { entries[Int(table.rawValue) - 1] = newValue }
  }

  /// Whether nothing was counted or hashed.
  var isEmpty: Bool { self == StoreSummary() }

  mutating func apply(_ changes: StoreSummary) {
    for table in SummaryTable.allCases {
      self[table].count &+= changes[table].count
      self[table].hash ^= changes[table].hash
    }
  }

  // MARK: Rows

  static func hash(of row: [UInt8], in table: SummaryTable, _ key: SymmetricKey) -> Bytes32 {
    key.keyedHash32(table.prefix + row, domain: .summaryRow)
  }

  /// Computes the summary of the rows that the store has now. Reads no contents of records.
  static func compute(_ connection: StoreConnection, _ key: SymmetricKey) throws(StoreError) -> StoreSummary {
    var summary = StoreSummary()
    for table in SummaryTable.allCases {
      let rows = try connection.statement("SELECT \(table.columns) FROM \(table.name)")
      var entry = Entry()
      // One array for all rows: there may be hundreds of thousands.
      var row: [UInt8] = []
      row.reserveCapacity(1_024)
      let columnCount = table.columnCount
      while try rows.step() {
        row.removeAll(keepingCapacity: true)
        row.append(table.rawValue)
        rows.encode(columnCount: columnCount, into: &row)
        entry.toggle(key.keyedHash32(row, domain: .summaryRow), by: 1)
      }
      summary[table] = entry
    }
    return summary
  }

  // MARK: Stored form

  private static let associated = Array("summary 4".utf8)

  /// Opens a sealed summary. Nil for bytes that this key has not sealed.
  init?(sealed: [UInt8], key: SymmetricKey) {
    guard let plain = try? key.open(sealed, associated: Self.associated),
      plain.count == SummaryTable.allCases.count * 40
    else { return nil }
    var reader = ByteReader(plain, object: "summary")
    for table in SummaryTable.allCases {
      self[table].count = (try? reader.i64("count")) ?? 0
      for index in 0..<4 { self[table].hash[index] = (try? reader.u64("hash")) ?? 0 }
    }
  }

  init() {}

  func sealed(with key: SymmetricKey) -> [UInt8] {
    var writer = ByteWriter(reserving: SummaryTable.allCases.count * 40)
    for table in SummaryTable.allCases {
      writer.i64(self[table].count)
      for index in 0..<4 { writer.u64(self[table].hash[index]) }
    }
    return key.seal(writer.bytes, associated: Self.associated)
  }
}

/// A table whose rows the summary counts and hashes, with the columns that it covers.
enum SummaryTable: UInt8, CaseIterable {
  case record = 1
  case edge
  case token
  case superseded
  case outbox
  case stream
  case segment
  case log
  case unadmitted
  case itemCount
  case conflict
  case skeleton
  case object

  /// The name of the table.
  var name: String {
    switch self {
    case .record: "record"
    case .edge: "edge"
    case .token: "token"
    case .superseded: "superseded"
    case .outbox: "outbox"
    case .stream: "stream"
    case .segment: "segment"
    case .log: "log"
    case .unadmitted: "unadmitted"
    case .itemCount: "item_count"
    case .conflict: "conflict"
    case .skeleton: "skeleton"
    case .object: "object"
    }
  }

  /// The columns. The contents of records are signed and are not covered, nor is anything that changes with each sync.
  var columns: String {
    switch self {
    case .record: "id, hash, group_id, item, class, tombstone, time, author, head, standing, created, arrival, bases"
    case .edge: "base, record"
    case .token: "group_id, token, created, arrival, item, record"
    case .superseded: "record"
    case .outbox: "record, group_id"
    case .stream: "stream, device, own, number, hash, reported"
    case .segment: "stream, number, hash, device"
    case .log: "sequence, entry"
    case .unadmitted: "stream, number, hash, device, log, author, group_id, generation, authentic"
    case .itemCount: "group_id, class, live"
    case .conflict: "group_id, item"
    // The time at which it was superseded is determined later.
    case .skeleton: "record"
    case .object: "kind, name"
    }
  }

  var columnCount: Int32 { Self.columnCounts[Int(rawValue) - 1] }

  /// Counted once: a comparison asks for every row.
  private static let columnCounts = allCases.map { Int32($0.columns.utf8.count { $0 == UInt8(ascii: ",") } + 1) }

  /// The bytes that precede a row's: its table.
  var prefix: [UInt8] { [rawValue] }
}
