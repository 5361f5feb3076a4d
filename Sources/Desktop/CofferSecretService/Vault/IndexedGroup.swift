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

  /// The items of a collection within the group, or of its own collection. The latter has those of a collection that does not
  /// exist any more.
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
    return (fewest ?? items).filter { isItem($0, in: subcollection) && $0.matches(attributes) }
  }

  /// The item of a collection with an identifier.
  func item(_ identifier: String, in subcollection: String?) -> IndexedItem? {
    byIdentifier[identifier].flatMap { isItem($0, in: subcollection) ? $0 : nil }
  }

  private func isItem(_ item: IndexedItem, in subcollection: String?) -> Bool {
    item.subcollection.flatMap { subcollections.contains($0) ? $0 : nil } == subcollection
  }
}
