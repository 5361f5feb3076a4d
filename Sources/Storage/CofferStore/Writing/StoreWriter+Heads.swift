internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import Synchronization

/// The rows that depend on which versions are heads: marks, tokens, times of supersession, counts and conflicts.
extension StoreWriter {
  /// Updates the head marks of one item, the tokens of its heads, and whether it is counted and in conflict. With
  /// `isInserted`, a row of the item was just inserted, by whose number programs see the change. If that row becomes a
  /// head, it is the last of `gaining`.
  func changeHeads(losing: [RecordRow], gaining: [RecordRow], isInserted: Bool = false) throws(StoreError) {
    guard let item = losing.first ?? gaining.first else { return }
    if !isInserted { try recordUnlistedChange() }
    for row in losing {
      try update(row.id, "head = 0")
      try recordSuperseded(row.id)
      for token in row.tokens {
        let values = row.values(of: token)
        let count = try connection.run(.deleteToken, values)
        try connection.recordDeletion(count, from: .token, values)
      }
    }
    for row in gaining {
      if !row.isHead {
        try update(row.id, "head = 1")
        try removeSuperseded(row.id)
      }
      for token in row.tokens {
        let values = row.values(of: token)
        let count = try connection.run(.insertToken, values)
        try connection.recordInsertion(count, into: .token, values)
      }
    }
    // Another program may have marked a row before.
    let gained = isInserted ? gaining : gaining.filter { !$0.isHead }
    try changeCounts(of: item.item, in: item.group, losing: losing, gaining: gained)
  }

  /// Records that current versions have changed without a new row: programs read all groups again. `last` is the last
  /// number before rows were removed, if they were.
  func recordUnlistedChange(after last: Int64 = 0) throws(StoreError) {
    let number = try max(nextRow(), last + 1)
    // Not by `set`, after which the log would be read again.
    try connection.run(
      "INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)",
      [.text(Setting.lastUnlistedChange.rawValue), .blob(Int(number).stored)])
  }

  /// Updates the number of items and the conflicts, after the head marks of an item have changed.
  private func changeCounts(
    of item: ItemID, in group: GroupID, losing: [RecordRow], gaining: [RecordRow]
  ) throws(StoreError) {
    // Whether there were none of a kind, or one head, does not depend on further ones.
    let now = try headMarks(of: item, in: group, limit: gaining.count + 2)
    var before = now
    for row in gaining { before.add(-1, itemClass: row.itemClass, isTombstone: row.isTombstone) }
    for row in losing { before.add(1, itemClass: row.itemClass, isTombstone: row.isTombstone) }
    for (itemClass, count) in now.live where count > 0 && before.live[itemClass, default: 0] <= 0 {
      connection.itemCounts.add(1, to: ItemCounts.Key(group: group, itemClass: itemClass))
    }
    for (itemClass, count) in before.live where count > 0 && now.live[itemClass, default: 0] <= 0 {
      connection.itemCounts.add(-1, to: ItemCounts.Key(group: group, itemClass: itemClass))
    }
    guard now.isConflict != before.isConflict else { return }
    let values: [SQLValue] = [.id(group.raw), .id(item.raw)]
    if now.isConflict {
      let count = try connection.run("INSERT OR IGNORE INTO conflict (group_id, item) VALUES (?1, ?2)", values)
      try connection.recordInsertion(count, into: .conflict, values)
    } else {
      let count = try connection.run("DELETE FROM conflict WHERE group_id = ?1 AND item = ?2", values)
      try connection.recordDeletion(count, from: .conflict, values)
    }
  }

  /// Returns how many heads of each kind an item has, up to `limit` of a kind: an item can have thousands.
  private func headMarks(of item: ItemID, in group: GroupID, limit: Int) throws(StoreError) -> HeadMarks {
    var marks = HeadMarks()
    var start = (tombstone: Int64.min, itemClass: Int64.min)
    while true {
      let kinds = try connection.rows(
        """
        SELECT tombstone, class FROM record INDEXED BY record_item
        WHERE group_id = ?1 AND item = ?2 AND head = 1 AND (tombstone, class) >= (?3, ?4)
        ORDER BY tombstone, class LIMIT ?5
        """,
        [
          .id(group.raw), .id(item.raw), .integer(start.tombstone), .integer(start.itemClass), .integer(Int64(limit)),
        ]
      ) { (row) throws(StoreError) in (tombstone: row.integer(0), itemClass: row.integer(1)) }
      guard let first = kinds.first, let last = kinds.last else { return marks }
      let isComplete = kinds.count < limit
      // The last kind is read again from its beginning if the limit may have cut it short.
      for kind in kinds where isComplete || first == last || kind != last {
        marks.add(1, itemClass: kind.itemClass, isTombstone: kind.tombstone != 0)
      }
      guard !isComplete, last.itemClass < .max else { return marks }
      start = first == last ? (last.tombstone, last.itemClass + 1) : last
    }
  }

  /// The heads of one item, as far as counts depend on them.
  private struct HeadMarks {
    private var count = 0
    private(set) var live: [Int64: Int] = [:]

    /// Whether there are several heads, of which at least one is no tombstone.
    var isConflict: Bool { count > 1 && live.values.contains { $0 > 0 } }

    mutating func add(_ difference: Int, itemClass: Int64, isTombstone: Bool) {
      count += difference
      if !isTombstone { live[itemClass, default: 0] += difference }
    }
  }

  func recordSuperseded(_ row: Int64) throws(StoreError) {
    try removeSuperseded(row)
    try connection.run(
      "INSERT INTO superseded (record, time) VALUES (?1, ?2)", [.integer(row), .integer(WallClock.now)])
    try connection.recordInsertion(into: .superseded, [.integer(row)])
  }

  func removeSuperseded(_ row: Int64) throws(StoreError) {
    let count = try connection.run("DELETE FROM superseded WHERE record = ?1", [.integer(row)])
    try connection.recordDeletion(count, from: .superseded, [.integer(row)])
  }
}

/// Collects the changes of one write transaction to the numbers of items. They are written once, at its end.
final class ItemCounts: Sendable {
  struct Key: Hashable {
    let group: GroupID
    let itemClass: Int64
  }

  /// A greater number in the file is not one that this program has written. It must not overflow.
  static let maximum: Int64 = 1 << 40

  typealias Change = (key: Key, difference: Int64)

  // Not a dictionary: the first one of its type would take a tenth of a millisecond when a vault is opened.
  private let state = Mutex<[Change]>([])

  /// The changes of the transaction until now, to be restored if a nested one fails.
  var changes: [Change] { state.withLock { $0 } }

  /// Restores the changes as they were before a nested transaction.
  func restore(_ changes: [Change]) { state.withLock { $0 = changes } }

  /// Forgets the changes of a transaction, which has ended.
  func reset() { state.withLock { $0 = [] } }

  func add(_ difference: Int64, to key: Key) {
    state.withLock { changes in
      if let index = changes.firstIndex(where: { $0.key == key }) {
        changes[index].difference += difference
      } else {
        changes.append((key, difference))
      }
    }
  }

  /// Returns the change of a class in a group, or of all classes if it is nil.
  func change(in group: GroupID, of itemClass: Int64?) -> Int64 {
    state.withLock { changes in
      changes.reduce(0) { sum, change in
        change.key.group == group && (itemClass == nil || change.key.itemClass == itemClass)
          ? sum + change.difference : sum
      }
    }
  }

  /// Writes the changes, before the transaction is committed.
  func save(_ connection: StoreConnection) throws(StoreError) {
    for (key, change) in changes where change != 0 {
      let values: [SQLValue] = [.id(key.group.raw), .integer(key.itemClass)]
      try connection.changing(.itemCount, where: "group_id = ?1 AND class = ?2", values) { () throws(StoreError) in
        try connection.run(
          """
          INSERT INTO item_count (group_id, class, live) VALUES (?1, ?2, max(?3, 0))
          ON CONFLICT (group_id, class) DO UPDATE SET live = max(min(live, \(Self.maximum)) + ?3, 0)
          """, values + [.integer(change)])
      }
    }
    reset()
  }
}
