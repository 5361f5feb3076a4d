internal import CofferCrypto
internal import CofferFormat

/// The columns of which a ``StoredRecord`` is made, in the order in which every look-up asks for them.
struct RecordColumns {
  /// Without it, the value's pages are never touched.
  let withValue: Bool

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
