package import CofferCrypto
package import CofferFormat

/// A record in the store. Other columns of its row are hints; ``record()`` reads the signed bytes.
package struct StoredRecord: Hashable, Sendable {
  /// The signed part and the signature.
  package let signedBytes: [UInt8]
  /// Empty in a tombstone.
  package let sealedAttributes: [UInt8]
  /// Empty in a tombstone; nil if the look-up omitted values.
  package let sealedValue: [UInt8]?
  package let validity: StoredValidity
  /// The row, for ``StoreWriter/setVerified(_:)``.
  package let row: Int64
  /// The MAC with which the requesting author proved that it verified the record; empty if there is none.
  package let verification: [UInt8]

  /// Reads the record and verifies that the sealed parts match the signed hashes. The caller must verify the signature.
  package func record() throws(FormatError) -> Record {
    try Record(signedBytes: signedBytes, sealedAttributes: sealedAttributes, sealedValue: sealedValue)
  }
}

/// The validity of a stored record according to the membership log. Invalid records are not stored.
package enum StoredValidity: Int64, Hashable, Sendable {
  /// The author may write to the group: the record counts.
  case valid = 1
  /// The record is pending or refused, and no segment of the store contains it, so its contents are kept here. It is
  /// never a head and never covers one.
  case unadmitted = 2
}

/// An author's proof that it has verified a record: a MAC under a key of that author. Any program can write such a row,
/// so only an author who can compute the MAC may rely on it.
package struct RecordVerification: Hashable, Sendable {
  package let row: Int64
  package let author: AuthorID
  package let mac: Bytes16

  package init(row: Int64 = 0, author: AuthorID, mac: Bytes16) {
    self.row = row
    self.author = author
    self.mac = mac
  }
}

/// The place of an item in a list. The item that was created first comes first; of items that were created at the same
/// time, the one that arrived first on this machine.
package struct ListPlace: Hashable, Comparable, Sendable {
  /// When the item was created, in microseconds since 1970.
  package let created: Int64
  /// The number of the item's first row on this machine.
  package let arrival: Int64
  package let item: ItemID

  /// Whether an item has the same place under another primary key or in another group.
  package func isPlace(of other: ListPlace) -> Bool { created == other.created && arrival == other.arrival }

  package static func < (left: ListPlace, right: ListPlace) -> Bool {
    (left.created, left.arrival, left.item) < (right.created, right.arrival, right.item)
  }
}

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
    // An unknown validity must not make the rows around it unreadable. The record is verified like any other.
    StoredRecord(
      signedBytes: rows.bytes(column + 1), sealedAttributes: rows.bytes(column + 2),
      sealedValue: withValue ? rows.bytes(column + 5) : nil,
      validity: StoredValidity(rawValue: rows.integer(column + 3)) ?? .valid, row: rows.integer(column),
      verification: rows.bytes(column + 4))
  }

  /// Returns the parameter for the author whose MACs are read.
  static func author(_ author: AuthorID?) -> SQLValue { author.map { .id($0.raw) } ?? .null }
}
