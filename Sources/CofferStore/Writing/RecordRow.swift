internal import CofferCrypto
internal import CofferFormat

/// The columns of a record from which heads are determined. They are hints, so that a write need not parse signed
/// bytes.
struct RecordRow {
  var id: Int64
  let hash: RecordHash
  let group: GroupID
  let item: ItemID
  let standing: Int64
  var isHead: Bool
  let bases: [RecordHash]
  let tokens: [Token]

  static let columns = "id, hash, group_id, item, standing, head, bases, tokens"
}

extension RecordRow {
  /// Reads the current row of a statement over ``columns``.
  init(_ rows: borrowing SQLStatement) throws(StoreError) {
    id = rows.integer(0)
    hash = RecordHash(try rows.bytes32(1, "record.hash"))
    group = GroupID(try rows.bytes16(2, "record.group_id"))
    item = ItemID(try rows.bytes16(3, "record.item"))
    standing = rows.integer(4)
    isHead = rows.flag(5)
    bases = Self.split(rows.bytes(6), Bytes32.count) { Bytes32($0).map(RecordHash.init) }
    tokens = Self.split(rows.bytes(7), Bytes16.count) { Bytes16($0).map(Token.init) }
  }

  /// Returns the same row as a non-head, with the tokens of the record's signed bytes.
  func with(tokens: [Token]) -> RecordRow {
    RecordRow(
      id: id, hash: hash, group: group, item: item, standing: standing, isHead: false, bases: bases, tokens: tokens)
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
