internal import CofferFormat
internal import Synchronization

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
