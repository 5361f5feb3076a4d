import Coffer
import Foundation

/// Keychain's rules in a second, plain implementation: items in a list that is searched from front to back.
struct ModelVault {
  /// The values that make an item unique in its group.
  struct Key: Hashable {
    var itemClass: String
    var isSynchronizable: Bool
    var names: [String]
  }

  struct Item: Equatable {
    var key: Key
    var group: String
    var label: String?
    var comment: String?
    var isDeviceLocal: Bool
    var value: [UInt8]
    var reference: PersistentReference
  }

  enum Outcome: Equatable {
    case done
    case duplicate
    case notEntitled
    case count(Int)
  }

  /// In search order.
  let groups: [String]
  let readOnly: Set<String>
  var items: [Item] = []

  func index(_ key: Key, in group: String?) -> Int? {
    for candidate in groups where group == nil || group == candidate {
      if let found = items.firstIndex(where: { $0.key == key && $0.group == candidate }) { return found }
    }
    return nil
  }

  /// Returns every item of a class that fulfils the condition.
  func found(
    _ itemClass: String, in group: String?, _ condition: (Item) -> Bool
  ) -> [Int] {
    items.indices.filter {
      items[$0].key.itemClass == itemClass && (group == nil || items[$0].group == group) && condition(items[$0])
    }
  }

  mutating func add(_ item: Item) -> Outcome {
    guard !readOnly.contains(item.group) else { return .notEntitled }
    guard index(item.key, in: item.group) == nil else { return .duplicate }
    items.append(item)
    return .done
  }

  mutating func set(_ item: Item) -> Outcome {
    guard !readOnly.contains(item.group) else { return .notEntitled }
    guard let index = index(item.key, in: item.group) else { return add(item) }
    var changed = items[index]
    changed.value = item.value
    if let label = item.label { changed.label = label }
    if let comment = item.comment { changed.comment = comment }
    changed.isDeviceLocal = item.isDeviceLocal
    items[index] = changed
    return .done
  }

  /// Changes every item found in the groups that may be written; all or none.
  mutating func update(
    _ indices: [Int], to group: String?, value: [UInt8]?, _ change: (inout Item) -> Void
  ) -> Outcome {
    if let group, readOnly.contains(group) { return .notEntitled }
    let before = items
    var count = 0
    for index in indices where !readOnly.contains(items[index].group) {
      var changed = items[index]
      change(&changed)
      if let group { changed.group = group }
      if let value { changed.value = value }
      let other = items.indices.first {
        $0 != index && items[$0].key == changed.key && items[$0].group == changed.group
      }
      guard other == nil else {
        items = before
        return .duplicate
      }
      items[index] = changed
      count += 1
    }
    return .count(count)
  }

  mutating func delete(_ indices: [Int]) -> Outcome {
    let gone = Set(indices.filter { !readOnly.contains(items[$0].group) })
    items = items.indices.filter { !gone.contains($0) }.map { items[$0] }
    return .count(gone.count)
  }
}
