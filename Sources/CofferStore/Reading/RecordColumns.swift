internal import CofferCrypto
internal import CofferFormat

/// The columns of which a ``StoredRecord`` is made, in the order in which every look-up asks for them.
struct RecordColumns {
  /// Without it, the value's pages are never touched.
  let withValue: Bool

  /// The author's MAC is a look-up of its own, so that it costs nothing where there is none. `?9` is the author.
  var sql: String { withValue ? Self.withValue : Self.withoutValue }

  /// The heads of one item: `?1` is the group and `?2` the item. Made once, as it is the statement of every get.
  var heads: String { withValue ? Self.headsWithValue : Self.headsWithoutValue }

  private static let withValue = "\(withoutValue), r.value"
  private static let withoutValue =
    "r.id, r.signed, r.attributes, r.standing, (SELECT mac FROM verified v WHERE v.record = r.id AND v.author = ?9)"

  private static let headsWithValue = "SELECT \(withValue) \(ofItem)"
  private static let headsWithoutValue = "SELECT \(withoutValue) \(ofItem)"
  private static let ofItem = "FROM record r WHERE r.group_id = ?1 AND r.item = ?2 AND r.head = 1"

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
