internal import Coffer
internal import CofferFormat
internal import CofferVault

/// The items of an app's access groups in memory, without their values: names and attributes. It knows for each group
/// whether the store has changed since it was read.
struct ItemIndex {
  private var groups: [IndexedGroup] = []
  /// The position in the store up to which ``groups`` is complete; nil if nothing was read.
  private var position: Int64?
  /// The vault that was read. In another one, also of the same name, positions mean nothing.
  private weak var source: Vault?

  /// A change that another program has made, or this one.
  enum Change: Equatable {
    case created(IndexedItem)
    case changed(IndexedItem, from: IndexedItem)
    case deleted(IndexedItem)
  }

  /// Reads the groups that have changed in the store. Returns what has changed; nothing at the first time.
  mutating func refresh(from vault: Vault) throws(VaultError) -> [Change] {
    let wanted = try vault.accessGroups
    guard let known = position, source === vault, wanted.map(\.name) == groups.map(\.name),
      wanted.map(\.isWritable) == groups.map(\.isWritable)
    else {
      let isFirst = position == nil
      let before = groups.flatMap(\.everything)
      // The position first: what is written meanwhile is read again.
      let now = try vault.changedGroups(after: .max).position
      groups = try wanted.map { group throws(VaultError) in
        try Self.group(group.name, isWritable: group.isWritable, in: vault)
      }
      position = now
      source = vault
      return isFirst ? [] : Self.changes(from: before, to: groups.flatMap(\.everything))
    }
    let (changed, now) = try vault.changedGroups(after: known)
    var changes: [Change] = []
    for name in changed {
      guard let index = groups.firstIndex(where: { $0.name == name }) else { continue }
      let group = try Self.group(name, isWritable: groups[index].isWritable, in: vault)
      changes += Self.changes(from: groups[index].everything, to: group.everything)
      groups[index] = group
    }
    position = now
    return changes
  }

  private static func group(
    _ name: String, isWritable: Bool, in vault: Vault
  ) throws(VaultError) -> IndexedGroup {
    let generic = try vault.list(GenericPassword.self, in: name)
    let internet = try vault.list(InternetPassword.self, in: name)
    return IndexedGroup(
      name: name, isWritable: isWritable, hasDamage: !generic.damaged.isEmpty || !internet.damaged.isEmpty,
      containing: generic.items.filter { !$0.isProtected }.map(IndexedItem.init)
        + internet.items.filter { !$0.isProtected }.map(IndexedItem.init))
  }

  /// Whether a group, or any group if it is nil, has a damaged item, of which nobody knows what finds it.
  func hasDamage(in group: String? = nil) -> Bool {
    groups.contains { ($0.name == group || group == nil) && $0.hasDamage }
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
    var taken = CollectionInfo.reserved.union(groups.map { names.identifier(ofGroup: $0.name) })
    return groups.flatMap { group in
      let whole = CollectionInfo(
        identifier: names.identifier(ofGroup: group.name), group: group.name,
        label: group.markers.first { $0.subcollection == nil }?.label ?? names.label(ofGroup: group.name),
        isWritable: group.isWritable, created: group.created, modified: group.modified)
      return [whole]
        + group.markers.compactMap { marker in
          marker.subcollection.map { identifier in
            // Another group can have a collection of this name.
            let unique = CollectionInfo.newSubcollection(label: identifier, besides: taken)
            taken.insert(unique)
            return CollectionInfo(
              identifier: unique, group: group.name, subcollection: identifier, label: marker.label,
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

/// The items of an access group, and what finds one of them without a look at the others.
struct IndexedGroup {
  /// One attribute with its value.
  private struct Attribute: Hashable {
    let name: String
    let value: String
  }

  let name: String
  let isWritable: Bool
  /// Whether the group has a damaged item.
  let hasDamage: Bool
  /// The items that stand for collections.
  private(set) var markers: [IndexedItem] = [] {
    didSet { subcollections = Set(markers.compactMap(\.subcollection)) }
  }
  /// All other items, oldest first.
  private var items: [IndexedItem] = []
  private var byIdentifier: [String: IndexedItem] = [:]
  private var byAttribute: [Attribute: [IndexedItem]] = [:]
  /// The oldest creation and the last modification of the items of the group's own collection; zero if it has none.
  private(set) var created: UInt64 = 0
  private(set) var modified: UInt64 = 0
  /// The collections within the group.
  private var subcollections: Set<String> = []

  init(name: String, isWritable: Bool, hasDamage: Bool, containing items: [IndexedItem]) {
    self.name = name
    self.isWritable = isWritable
    self.hasDamage = hasDamage
    for item in items { insert(item) }
  }

  /// The items, and those that stand for collections.
  var everything: [IndexedItem] { items + markers }

  // MARK: Changes

  mutating func insert(_ item: IndexedItem) {
    guard item.aliases == nil else {
      markers.append(item)
      return
    }
    items.append(item)
    byIdentifier[item.identifier] = item
    for (name, value) in item.attributes { byAttribute[Attribute(name: name, value: value), default: []].append(item) }
    noteDates(of: item)
  }

  /// Replaces the item with the same identifier, in its place.
  mutating func replace(with item: IndexedItem) {
    if let place = markers.firstIndex(where: { $0.identifier == item.identifier }) {
      markers[place] = item
      return
    }
    guard let earlier = byIdentifier[item.identifier], let place = items.firstIndex(where: { $0 === earlier }) else {
      return
    }
    items[place] = item
    byIdentifier[item.identifier] = item
    for (name, value) in earlier.attributes {
      let attribute = Attribute(name: name, value: value)
      guard let place = byAttribute[attribute]?.firstIndex(where: { $0 === earlier }) else { continue }
      if item.attributes[name] == value {
        byAttribute[attribute]?[place] = item
      } else {
        removeFromAttribute(attribute, at: place)
      }
    }
    for (name, value) in item.attributes where earlier.attributes[name] != value {
      byAttribute[Attribute(name: name, value: value), default: []].append(item)
    }
    noteDates(of: item)
  }

  mutating func remove(_ item: IndexedItem) {
    if let place = markers.firstIndex(where: { $0.identifier == item.identifier }) {
      markers.remove(at: place)
      return
    }
    guard let removed = byIdentifier.removeValue(forKey: item.identifier),
      let place = items.firstIndex(where: { $0 === removed })
    else { return }
    items.remove(at: place)
    for (name, value) in removed.attributes {
      let attribute = Attribute(name: name, value: value)
      guard let place = byAttribute[attribute]?.firstIndex(where: { $0 === removed }) else { continue }
      removeFromAttribute(attribute, at: place)
    }
    (created, modified) = (0, 0)
    for item in items { noteDates(of: item) }
  }

  private mutating func removeFromAttribute(_ attribute: Attribute, at place: Int) {
    byAttribute[attribute]?.remove(at: place)
    if byAttribute[attribute]?.isEmpty == true { byAttribute[attribute] = nil }
  }

  private mutating func noteDates(of item: IndexedItem) {
    guard item.subcollection == nil else { return }
    created = created == 0 ? item.created : min(created, item.created)
    modified = max(modified, item.modified)
  }

  // MARK: What callers see

  /// The items of a collection within the group, or of its own collection. The latter has those of a collection that
  /// does not exist any more.
  func items(in subcollection: String?) -> [IndexedItem] {
    if subcollections.isEmpty { return subcollection == nil ? items : [] }
    return items.filter { isItem($0, in: subcollection) }
  }

  /// The items of a collection that have attributes.
  func items(in subcollection: String?, with attributes: [String: String]) -> [IndexedItem] {
    var fewest: [IndexedItem]?
    for (name, value) in attributes {
      guard let found = byAttribute[Attribute(name: name, value: value)] else { return [] }
      if found.count < fewest?.count ?? .max { fewest = found }
    }
    return (fewest ?? items).filter { isItem($0, in: subcollection) && has($0.attributes, attributes) }
  }

  /// The item of a collection with an identifier.
  func item(_ identifier: String, in subcollection: String?) -> IndexedItem? {
    byIdentifier[identifier].flatMap { isItem($0, in: subcollection) ? $0 : nil }
  }

  private func isItem(_ item: IndexedItem, in subcollection: String?) -> Bool {
    item.subcollection.flatMap { subcollections.contains($0) ? $0 : nil } == subcollection
  }
}
