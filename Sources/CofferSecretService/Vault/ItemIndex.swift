internal import Coffer
internal import CofferFormat
internal import CofferVault

/// The items of an app's access groups in memory, without their values: names and attributes. It knows for each group whether
/// the store has changed since it was read.
struct ItemIndex {
  private var groups: [IndexedGroup] = []
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
      let before = groups.flatMap(\.everything)
      // The position first: what is written meanwhile is read again.
      let now = try vault.changedGroups(after: .max).position
      groups = try wanted.map { group throws(VaultError) in
        IndexedGroup(
          name: group.name, isWritable: group.isWritable, containing: try Self.items(of: group.name, in: vault))
      }
      position = now
      return isFirst ? [] : Self.changes(from: before, to: groups.flatMap(\.everything))
    }
    let (changed, now) = try vault.changedGroups(after: known)
    var changes: [Change] = []
    for name in changed {
      guard let index = groups.firstIndex(where: { $0.name == name }) else { continue }
      let items = try Self.items(of: name, in: vault)
      changes += Self.changes(from: groups[index].everything, to: items)
      groups[index] = IndexedGroup(name: name, isWritable: groups[index].isWritable, containing: items)
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
    case .created(let item): groups[index].insert(item)
    case .changed(let item, _): groups[index].replace(with: item)
    case .deleted(let item): groups[index].remove(item)
    }
  }

  // MARK: What callers see

  /// The collections: one for each group, and after it those within the group.
  func collections(names: CollectionNames) -> [CollectionInfo] {
    groups.flatMap { group in
      let whole = CollectionInfo(
        identifier: names.identifier(ofGroup: group.name), group: group.name, subcollection: nil,
        label: group.markers.first { $0.subcollection == nil }?.label ?? names.label(ofGroup: group.name), aliases: [],
        isWritable: group.isWritable, created: group.created, modified: group.modified)
      return [whole]
        + group.markers.compactMap { marker in
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
    group(of: collection)?.markers.first { $0.subcollection == collection.subcollection }
  }

  /// The items of a collection. Those of a collection that does not exist any more are the group's own.
  func items(in collection: CollectionInfo) -> [IndexedItem] {
    group(of: collection)?.items(in: collection.subcollection) ?? []
  }

  /// The items of a collection that have attributes.
  func items(in collection: CollectionInfo, with attributes: [String: String]) -> [IndexedItem] {
    group(of: collection)?.items(in: collection.subcollection, with: attributes) ?? []
  }

  /// The item of a collection with an identifier.
  func item(_ identifier: String, in collection: CollectionInfo) -> IndexedItem? {
    group(of: collection)?.item(identifier, in: collection.subcollection)
  }

  private func group(of collection: CollectionInfo) -> IndexedGroup? { groups.first { $0.name == collection.group } }
}

extension StoredItem {
  /// Whether only Keychain's calls may read the value, after a person was asked.
  fileprivate var isProtected: Bool { item._fields.attributes[.accessControl] != nil }
}
