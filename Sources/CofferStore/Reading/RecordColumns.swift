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
    WHERE r.group_id = ?1 AND r.item = ?2 AND \(isHeld) ORDER BY r.time DESC, r.hash DESC
    """
  }
  static let record = statements { "SELECT \($0) FROM record r WHERE r.hash = ?1 AND \(isHeld)" }
  static let pending = statements { "SELECT \($0) FROM record r WHERE r.standing = 2 AND r.id > ?1 ORDER BY r.id" }

  /// Not pruned. A row that says so and has contents all the same was marked by somebody else.
  private static let isHeld = "(r.standing <> 3 OR length(r.signed) > 0)"

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
  func read(_ rows: borrowing SQLStatement, from column: Int32) -> StoredRecord {
    // A standing that nobody writes must not keep others from the rows around it; its record is judged like any other.
    StoredRecord(
      signedBytes: rows.bytes(column + 1), sealedAttributes: rows.bytes(column + 2),
      sealedValue: withValue ? rows.bytes(column + 5) : nil,
      standing: Standing(rawValue: rows.integer(column + 3)) ?? .valid, row: rows.integer(column),
      verification: rows.bytes(column + 4))
  }

  /// The author whose MACs are asked for, as a parameter.
  static func author(_ author: AuthorID?) -> SQLValue { author.map { .id($0.raw) } ?? .null }
}
