internal import CofferCrypto
internal import CofferFormat

/// The columns of a record from which heads are determined. They are hints, so that a write need not parse signed
/// bytes.
struct RecordRow {
  var id: Int64
  let hash: RecordHash
  let group: GroupID
  let itemClass: Int64
  let isTombstone: Bool
  let standing: Int64
  var isHead: Bool
  let bases: [RecordHash]
  let tokens: [Token]
  var place: ListPlace

  static let columns = "id, hash, group_id, item, class, tombstone, standing, head, bases, tokens, created, arrival"
}

extension RecordRow {
  var item: ItemID { place.item }

  /// The values of a row of `token`.
  func values(of token: Token) -> [SQLValue] {
    [
      .id(group.raw), .id(token.raw), .integer(place.created), .integer(place.arrival), .id(item.raw), .integer(id),
    ]
  }

  /// Reads the current row of a statement over ``columns``.
  init(_ rows: borrowing SQLStatement) throws(StoreError) {
    id = rows.integer(0)
    hash = RecordHash(try rows.bytes32(1, "record.hash"))
    group = GroupID(try rows.bytes16(2, "record.group_id"))
    let item = ItemID(try rows.bytes16(3, "record.item"))
    itemClass = rows.integer(4)
    isTombstone = rows.flag(5)
    standing = rows.integer(6)
    isHead = rows.flag(7)
    bases = Self.split(rows.bytes(8), Bytes32.count) { Bytes32($0).map(RecordHash.init) }
    tokens = Self.split(rows.bytes(9), Bytes16.count) { Bytes16($0).map(Token.init) }
    place = ListPlace(created: rows.integer(10), arrival: rows.integer(11), item: item)
  }

  /// Returns the same row as a non-head, with the tokens of the record's signed bytes.
  func with(tokens: [Token]) -> RecordRow {
    RecordRow(
      id: id, hash: hash, group: group, itemClass: itemClass, isTombstone: isTombstone, standing: standing,
      isHead: false, bases: bases, tokens: tokens, place: place)
  }

  /// Splits concatenated elements. An incomplete last one is ignored: a truncated hint must not prevent the write that
  /// repairs its item. Remaining edges and tokens of non-heads are ignored by all look-ups.
  private static func split<Element>(
    _ bytes: [UInt8], _ byteCount: Int, _ make: (ArraySlice<UInt8>) -> Element?
  ) -> [Element] {
    stride(from: 0, to: bytes.count, by: byteCount).compactMap {
      make(bytes[$0..<min($0 + byteCount, bytes.count)])
    }
  }
}
