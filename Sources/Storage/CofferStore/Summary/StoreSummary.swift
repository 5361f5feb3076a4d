internal import CofferCrypto
internal import CofferFormat

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
