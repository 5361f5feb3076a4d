internal import CofferCrypto
internal import CofferFormat

/// The columns of a ``StoredRecord``, in the order of every look-up.
struct RecordColumns {
  /// True if the value is read. Otherwise, its pages are not touched.
  let withValue: Bool

  /// The statements with these columns. Static, because building the text would take as long as reading the row.
  static let heads = statements { "SELECT \($0) FROM record r WHERE r.group_id = ?1 AND r.item = ?2 AND r.head = 1" }
  static let versions = statements {
    """
    SELECT \($0) FROM record r
    WHERE r.group_id = ?1 AND r.item = ?2 AND \(isHeld) ORDER BY r.time DESC, r.hash DESC
    """
  }
  static let record = statements { "SELECT \($0) FROM record r WHERE r.hash = ?1 AND \(isHeld)" }
  static let unadmitted = statements { "SELECT \($0) FROM record r WHERE r.standing = 2 AND r.id > ?1 ORDER BY r.id" }

  /// The condition for versions that are not pruned. A row that is marked as pruned but has contents was altered.
  private static let isHeld = "(r.standing <> 3 OR length(r.signed) > 0)"

  /// A statement in its two variants.
  struct Statements {
    let withValues: FrequentStatement
    let withoutValues: FrequentStatement

    subscript(withValues hasValues: Bool) -> FrequentStatement { hasValues ? withValues : withoutValues }
  }

  private static func statements(_ make: (String) -> String) -> Statements {
    Statements(
      withValues: FrequentStatement(make(RecordColumns(withValue: true).sql)),
      withoutValues: FrequentStatement(make(RecordColumns(withValue: false).sql)))
  }

  /// The author's MAC is a separate look-up, which costs nothing if there is none. `?9` is the author.
  var sql: String {
    withValue
      ? "r.id, r.signed, r.attributes, r.standing, \(Self.mac), r.value"
      : "r.id, r.signed, r.attributes, r.standing, \(Self.mac)"
  }

  private static let mac = "(SELECT mac FROM verified v WHERE v.record = r.id AND v.author = ?9)"

  /// Reads the columns from the current row of `rows`.
  func read(_ rows: borrowing SQLStatement, from column: Int32) -> StoredRecord {
    // An unknown standing must not make the rows around it unreadable. The record is verified like any other.
    StoredRecord(
      signedBytes: rows.bytes(column + 1), sealedAttributes: rows.bytes(column + 2),
      sealedValue: withValue ? rows.bytes(column + 5) : nil,
      standing: Standing(rawValue: rows.integer(column + 3)) ?? .valid, row: rows.integer(column),
      verification: rows.bytes(column + 4))
  }

  /// Returns the parameter for the author whose MACs are read.
  static func author(_ author: AuthorID?) -> SQLValue { author.map { .id($0.raw) } ?? .null }
}
