internal import Coffer
internal import CofferFormat
internal import CofferVault

/// The items of an app's access groups in memory, without their values: names and attributes. It knows for each group whether
/// the store has changed since it was read.
struct ItemIndex {
  /// Whether a group is read-only, and its items, oldest first.
  private struct Group {
    let name: String
    let isWritable: Bool
    var items: [IndexedItem] = []
  }

  private var groups: [Group] = []
  /// The position in the store up to which ``groups`` is complete; nil if nothing was read.
  private var position: Int64?

  /// A change that another program has made, or this one.
  enum Change: Equatable {
    case created(IndexedItem)
    case changed(IndexedItem, from: IndexedItem)
    case deleted(IndexedItem)
  }

  /// Reads the groups that have changed in the store. Returns what has changed; nothing at the first time.
  mutating func refresh(from vault: Vault) throws(VaultError) -> [Change] {
    let wanted = try vault.accessGroups
    guard let known = position, wanted.map(\.name) == groups.map(\.name),
      wanted.map(\.isWritable) == groups.map(\.isWritable)
    else {
      let isFirst = position == nil
      let before = groups.flatMap(\.items)
      // The position first: what is written meanwhile is read again.
      let now = try vault.changedGroups(after: .max).position
      groups = try wanted.map { group throws(VaultError) in
        Group(name: group.name, isWritable: group.isWritable, items: try Self.items(of: group.name, in: vault))
      }
      position = now
      return isFirst ? [] : Self.changes(from: before, to: groups.flatMap(\.items))
    }
    let (changed, now) = try vault.changedGroups(after: known)
    var changes: [Change] = []
    for name in changed {
      guard let index = groups.firstIndex(where: { $0.name == name }) else { continue }
      let items = try Self.items(of: name, in: vault)
      changes += Self.changes(from: groups[index].items, to: items)
      groups[index].items = items
    }
    position = now
    return changes
  }

  private static func items(of group: String, in vault: Vault) throws(VaultError) -> [IndexedItem] {
    // Damaged items are not shown, and not an error: the others are of use. `coffer check` names them.
    let generic = try vault.list(GenericPassword.self, in: group).items.filter { !$0.isProtected }.map(IndexedItem.init)
    let internet = try vault.list(InternetPassword.self, in: group).items.filter { !$0.isProtected }
      .map(IndexedItem.init)
    return generic + internet
  }

  private static func changes(from before: [IndexedItem], to after: [IndexedItem]) -> [Change] {
    let old = Dictionary(before.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    let new = Dictionary(after.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    var changes: [Change] = []
    for item in before where new[item.identifier] == nil { changes.append(.deleted(item)) }
    for item in after {
      guard let earlier = old[item.identifier] else {
        changes.append(.created(item))
        continue
      }
      if earlier != item { changes.append(.changed(item, from: earlier)) }
    }
    return changes
  }

  /// Takes a change that this program has made in a transaction, at whose begin the index was complete.
  mutating func apply(_ change: Change, at position: Int64) {
    self.position = position
    let group: String
    switch change {
    case .created(let item), .changed(let item, _), .deleted(let item): group = item.group
    }
    guard let index = groups.firstIndex(where: { $0.name == group }) else { return }
    switch change {
    case .created(let item): groups[index].items.append(item)
    case .changed(let item, _):
      guard let place = groups[index].items.firstIndex(where: { $0.identifier == item.identifier }) else { return }
      groups[index].items[place] = item
    case .deleted(let item): groups[index].items.removeAll { $0.identifier == item.identifier }
    }
  }

  // MARK: What callers see

  /// The collections: one for each group, and after it those within the group.
  func collections(names: CollectionNames) -> [CollectionInfo] {
    groups.flatMap { group in
      let own = group.items.filter { $0.aliases == nil && $0.subcollection == nil }
      let markers = group.items.filter { $0.aliases != nil }
      let whole = CollectionInfo(
        identifier: names.identifier(ofGroup: group.name), group: group.name, subcollection: nil,
        label: markers.first { $0.subcollection == nil }?.label ?? names.label(ofGroup: group.name), aliases: [],
        isWritable: group.isWritable, created: own.map(\.created).min() ?? 0, modified: own.map(\.modified).max() ?? 0)
      return [whole]
        + markers.compactMap { marker in
          marker.subcollection.map { identifier in
            CollectionInfo(
              identifier: identifier, group: group.name, subcollection: identifier, label: marker.label,
              aliases: marker.aliases ?? [], isWritable: group.isWritable, created: marker.created,
              modified: marker.modified)
          }
        }
    }
  }

  /// The item that stands for a collection; nil for that of a group whose label nobody has changed.
  func marker(of collection: CollectionInfo) -> IndexedItem? {
    items(ofGroup: collection.group).first {
      $0.aliases != nil && $0.subcollection == collection.subcollection
    }
  }

  /// The items of a collection. Those of a collection that does not exist any more are the group's own.
  func items(in collection: CollectionInfo) -> [IndexedItem] {
    let all = items(ofGroup: collection.group)
    let known = Set(all.filter { $0.aliases != nil }.compactMap(\.subcollection))
    return all.filter { item in
      item.aliases == nil && item.subcollection.flatMap({ known.contains($0) ? $0 : nil }) == collection.subcollection
    }
  }

  private func items(ofGroup name: String) -> [IndexedItem] { groups.first { $0.name == name }?.items ?? [] }
}

extension StoredItem {
  /// Whether only Keychain's calls may read the value, after a person was asked.
  fileprivate var isProtected: Bool { item._fields.attributes[.accessControl] != nil }
}
