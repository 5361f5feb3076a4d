internal import CofferFormat
internal import CofferStore

/// Counts items without opening them.
extension AccessContext {
  /// Returns the number of live items of a class in the named group, or in all groups if `name` is nil.
  func countAll(
    of itemClass: ItemClass, in name: String?, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> Int {
    var count = 0
    for group in try groups(named: name) {
      count += try reader.itemCount(in: group.id, of: itemClass)
      // The store counts an item with several heads if one of them is live. It is not, if the winner is a tombstone.
      for item in try reader.conflicts(in: group.id) {
        guard let heads = try heads(of: item, in: group, reader, withValues: false) else { continue }
        let isCounted = heads.all.contains { !$0.header.isTombstone && $0.header.itemClass == itemClass }
        if isCounted, !heads.isLive { count -= 1 }
      }
    }
    return max(count, 0)
  }
}
