internal import CofferCrypto
internal import CofferFormat

/// The rows that depend on which versions are heads: marks, tokens, times of supersession, counts and conflicts.
extension StoreWriter {
  /// Updates the head marks of one item, the tokens of its heads, and whether it is counted and in conflict. With
  /// `isInserted`, the last of the rows that become heads was just inserted.
  func changeHeads(losing: [RecordRow], gaining: [RecordRow], isInserted: Bool = false) throws(StoreError) {
    guard let item = losing.first ?? gaining.first else { return }
    for row in losing {
      try update(row.id, "head = 0")
      try recordSuperseded(row)
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
      let heads = try connection.statement(
        """
        SELECT tombstone, class FROM record INDEXED BY record_item
        WHERE group_id = ?1 AND item = ?2 AND head = 1 AND (tombstone, class) >= (?3, ?4)
        ORDER BY tombstone, class LIMIT ?5
        """,
        [
          .id(group.raw), .id(item.raw), .integer(start.tombstone), .integer(start.itemClass), .integer(Int64(limit)),
        ])
      var kinds: [(tombstone: Int64, itemClass: Int64)] = []
      while try heads.step() { kinds.append((heads.integer(0), heads.integer(1))) }
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

  func recordSuperseded(_ row: RecordRow) throws(StoreError) {
    try removeSuperseded(row.id)
    try connection.run(
      "INSERT INTO superseded (record, time) VALUES (?1, \(StoreConnection.now))", [.integer(row.id)])
    try connection.recordInsertion(into: .superseded, [.integer(row.id)])
  }

  func removeSuperseded(_ row: Int64) throws(StoreError) {
    let count = try connection.run("DELETE FROM superseded WHERE record = ?1", [.integer(row)])
    try connection.recordDeletion(count, from: .superseded, [.integer(row)])
  }
}
