internal import CofferCrypto
internal import CofferFormat

/// Compares the numbers of items and the conflicts with the heads.
extension StoreCheck {
  /// The heads that the records have, by their signed bytes.
  struct ExpectedHeads {
    struct Item: Hashable {
      let group: GroupID
      let item: ItemID
    }
    private struct Heads {
      var count = 0
      var liveClasses: Set<Int64> = []
    }

    private var heads: [Item: Heads] = [:]

    mutating func add(_ fact: Fact) {
      heads[Item(group: fact.group, item: fact.item), default: Heads()].count += 1
      if !fact.isTombstone {
        heads[Item(group: fact.group, item: fact.item), default: Heads()].liveClasses.insert(fact.itemClass)
      }
    }

    /// The rows of `item_count`.
    var counts: [ItemCounts.Key: Int64] {
      var counts: [ItemCounts.Key: Int64] = [:]
      for (item, heads) in heads {
        for itemClass in heads.liveClasses {
          counts[ItemCounts.Key(group: item.group, itemClass: itemClass), default: 0] += 1
        }
      }
      return counts
    }

    /// The rows of `conflict`.
    var conflicts: Set<Item> {
      Set(heads.lazy.filter { $0.value.count > 1 && !$0.value.liveClasses.isEmpty }.map(\.key))
    }
  }

  func checkCounts(_ heads: ExpectedHeads) throws(StoreError) {
    var counts = heads.counts
    var wrong = 0
    let rows = try connection.statement("SELECT group_id, class, live FROM item_count")
    while try rows.step() {
      let key = Bytes16(rows.bytes(0)).map { ItemCounts.Key(group: GroupID($0), itemClass: rows.integer(1)) }
      // The number of a class whose last item was deleted is 0.
      if (key.flatMap { counts.removeValue(forKey: $0) } ?? 0) != rows.integer(2) { wrong += 1 }
    }
    wrong += counts.count
    if wrong > 0 { add(StoreDifference("item_count", "\(wrong) numbers of items are wrong", .derived, count: wrong)) }

    let conflicts = heads.conflicts
    var found = 0
    var surplus = 0
    let pairs = try connection.statement("SELECT group_id, item FROM conflict")
    while try pairs.step() {
      if let group = Bytes16(pairs.bytes(0)), let item = Bytes16(pairs.bytes(1)),
        conflicts.contains(.init(group: GroupID(group), item: ItemID(item)))
      {
        found += 1
      } else {
        surplus += 1
      }
    }
    let differing = surplus + conflicts.count - found
    if differing > 0 {
      add(StoreDifference("conflict", "\(differing) rows are wrong", .derived, count: differing))
    }
    guard isRepairing, wrong + differing > 0 else { return }
    try connection.run("DELETE FROM item_count")
    for (key, count) in heads.counts {
      try connection.run(
        "INSERT INTO item_count (group_id, class, live) VALUES (?1, ?2, ?3)",
        [.id(key.group.raw), .integer(key.itemClass), .integer(count)])
    }
    try connection.run("DELETE FROM conflict")
    for item in conflicts {
      try connection.run(
        "INSERT INTO conflict (group_id, item) VALUES (?1, ?2)", [.id(item.group.raw), .id(item.item.raw)])
    }
  }
}
