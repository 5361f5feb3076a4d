internal import CofferCrypto
internal import CofferFormat

/// The columns of which a ``StoredRecord`` is made, in the order in which every look-up asks for them.
struct RecordColumns {
  /// Without it, the value's pages are never touched.
  let withValue: Bool

  /// The statements that ask for them. Made once: a look-up would else spend as long on its text as on its row.
  static let heads = statements { "SELECT \($0) FROM record r WHERE r.group_id = ?1 AND r.item = ?2 AND r.head = 1" }
  static let versions = statements {
    """
    SELECT \($0) FROM record r
    WHERE r.group_id = ?1 AND r.item = ?2 AND r.standing <> 3 ORDER BY r.time DESC, r.hash DESC
    """
  }
  static let record = statements { "SELECT \($0) FROM record r WHERE r.hash = ?1 AND r.standing <> 3" }
  static let pending = statements { "SELECT \($0) FROM record r WHERE r.standing = 2 ORDER BY r.id" }

  /// A statement in its two forms.
  struct Statements {
    let withValues: String
    let withoutValues: String

    func sql(withValues: Bool) -> String { withValues ? self.withValues : withoutValues }
  }

  private static func statements(_ make: (String) -> String) -> Statements {
    Statements(
      withValues: make(RecordColumns(withValue: true).sql), withoutValues: make(RecordColumns(withValue: false).sql))
  }

  /// The author's MAC is a look-up of its own, so that it costs nothing where there is none. `?9` is the author.
  var sql: String {
    withValue
      ? "r.id, r.signed, r.attributes, r.standing, \(Self.mac), r.value"
      : "r.id, r.signed, r.attributes, r.standing, \(Self.mac)"
  }

  private static let mac = "(SELECT mac FROM verified v WHERE v.record = r.id AND v.author = ?9)"

  /// Reads the columns from the row on which `rows` stands.
  func read(_ rows: borrowing SQLStatement, from column: Int32, path: String) throws(StoreError) -> StoredRecord {
    guard let standing = Standing(rawValue: rows.integer(column + 3)) else {
      throw .malformed("column record.standing", path: path)
    }
    return StoredRecord(
      signedBytes: rows.bytes(column + 1), sealedAttributes: rows.bytes(column + 2),
      sealedValue: withValue ? rows.bytes(column + 5) : nil, standing: standing, row: rows.integer(column),
      verification: rows.bytes(column + 4))
  }

  /// The author whose MACs are asked for, as a parameter.
  static func author(_ author: AuthorID?) -> SQLValue { author.map { .id($0.raw) } ?? .null }
}
