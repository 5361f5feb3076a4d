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
