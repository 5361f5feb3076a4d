internal import Coffer
internal import CofferFormat
internal import CofferPlatform
internal import CofferVault

/// What lists are searched and sorted by, of every item that can be read, in little memory.
struct IndexedItems: Sendable {
  private struct Entry: Sendable {
    let address: ItemAddress
    var place: IndexText.Place
    /// In microseconds since 1970; `.max` for an item that never expires.
    var created: Int64
    var modified: Int64
    var expires: Int64
    /// The beginning of the public key's hash in a certificate and in a private key; 0 for every other item.
    var keyHash: UInt64
    var itemClass: ItemClass
    var hasConflict: Bool
    /// False for an item that was deleted.
    var isLive: Bool
  }

  /// The state of the vault that the items are of.
  var position: ChangePosition
  /// Errors of damaged items, at most 100.
  private(set) var damaged: [VaultError] = []
  private var entries: [Entry] = []
  private var slots: [ItemAddress: UInt32] = [:]
  private var text = IndexText()
  /// The number of private keys with a hash.
  private var privateKeys: [UInt64: Int] = [:]
  /// The numbers of all entries of items that exist, in each order that was asked for.
  private var orders: [ItemSort: [UInt32]] = [:]

  init(at position: ChangePosition) { self.position = position }

  /// Whether so many texts are unused that building the index anew saves memory.
  var isWasteful: Bool { text.unusedByteCount > max(4 << 20, text.byteCount / 2) }

  mutating func wipe() {
    text.wipe()
    entries = []
    slots = [:]
    privateKeys = [:]
    orders = [:]
  }

  mutating func addDamaged(_ errors: some Sequence<VaultError>) {
    damaged += errors.prefix(100 - min(damaged.count, 100))
  }

  // MARK: Changing

  /// Adds an item, or replaces what is known of it.
  mutating func update(_ found: FoundItem) {
    let names = ItemNames(found)
    let attributes = found.attributes
    let keyHash = Self.keyHash(of: found)
    let entry = Entry(
      address: found.address,
      place: text.append(title: names.name, subtitle: names.subtitle, others: Self.otherTexts(found, names)),
      created: attributes.date(.created)?.microseconds ?? 0, modified: attributes.date(.modified)?.microseconds ?? 0,
      expires: names.expires?.microseconds ?? .max, keyHash: keyHash, itemClass: found.itemClass,
      hasConflict: found.hasConflict, isLive: true)
    if found.itemClass == .key, keyHash != 0 { privateKeys[keyHash, default: 0] += 1 }
    let slot = slots[found.address] ?? UInt32(entries.count)
    if slot < entries.count {
      discard(slot)
      entries[Int(slot)] = entry
    } else {
      slots[found.address] = slot
      entries.append(entry)
    }
    insertIntoOrders(slot)
  }

  /// Removes an item, if it is known.
  mutating func remove(_ address: ItemAddress) {
    guard let slot = slots[address] else { return }
    discard(slot)
    entries[Int(slot)].isLive = false
  }

  /// Forgets the texts of an entry, unless it is of a deleted item.
  private mutating func discard(_ slot: UInt32) {
    let old = entries[Int(slot)]
    guard old.isLive else { return }
    removeFromOrders(slot)
    text.remove(old.place)
    if old.itemClass == .key, old.keyHash != 0 { privateKeys[old.keyHash, default: 1] -= 1 }
  }

  private static func keyHash(of found: FoundItem) -> UInt64 {
    let hash: AttributeValue? =
      switch found.itemClass {
      case .certificate: found.attributes[.publicKeyHash]
      case .key:
        found.attributes[.keyClass]?.number == Int64(KeychainKey.Kind.private.rawValue)
          ? found.attributes[.applicationLabel] : nil
      case .genericPassword, .internetPassword: nil
      }
    return hash?.matchBytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } ?? 0
  }

  /// The texts that a search finds besides title and subtitle.
  private static func otherTexts(_ found: FoundItem, _ names: ItemNames) -> [String] {
    var texts = [names.title, names.detail].compactMap(\.self).filter { $0 != names.name }
    for code in [AttributeCode.comment, .itemDescription, .securityDomain, .subjectTexts, .emailAddresses] {
      if let value = found.attributes[code]?.text, !value.isEmpty { texts.append(value) }
    }
    return texts
  }

  // MARK: Finding

  /// Returns the number of items that a request finds, and the addresses of those on its page, in order. `group` is the
  /// one that it names; nil for all. From `now` on, certificates have expired.
  mutating func find(
    _ request: ItemRequest, in group: GroupID?, at now: Date
  ) -> (total: Int, addresses: [ItemAddress]) {
    let words = request.words
    let expiry = Timestamp(now.addingTimeInterval(ItemRequest.expiryNotice)).microseconds
    let order = order(request.sort)
    func isFound(_ entry: Entry) -> Bool {
      if let group, entry.address.group != group { return false }
      if let kind = request.kind {
        guard entry.itemClass == kind.itemClass else { return false }
        if kind == .identity, (privateKeys[entry.keyHash] ?? 0) < 1 { return false }
      }
      if request.isConflictOnly, !entry.hasConflict { return false }
      if request.isExpiringOnly, entry.expires > expiry { return false }
      return words.isEmpty || text.contains(words, at: entry.place)
    }
    var matches = order.filter { isFound(entries[Int($0)]) }
    if request.isDescending { matches.reverse() }
    // Without a sum that a page of any size would overflow.
    let pageCount = matches.isEmpty ? 1 : (matches.count - 1) / request.pageSize + 1
    let first = (min(max(request.page, 1), pageCount) - 1) * request.pageSize
    return (matches.count, matches.dropFirst(first).prefix(request.pageSize).map { entries[Int($0)].address })
  }

  /// Returns the numbers of all entries of items that exist, in an order.
  private mutating func order(_ sort: ItemSort) -> [UInt32] {
    if let known = orders[sort] { return known }
    var order = (0..<UInt32(entries.count)).filter { entries[Int($0)].isLive }
    order.sort { isBefore($0, $1, in: sort) }
    orders[sort] = order
    return order
  }

  /// Forgets the orders, before so many changes that sorting anew takes less time than to keep them.
  mutating func forgetOrders() { orders = [:] }

  /// Takes an entry out of the orders, before it changes.
  private mutating func removeFromOrders(_ number: UInt32) {
    for sort in orders.keys {
      if let place = orders[sort]?.firstIndex(of: number) { orders[sort]?.remove(at: place) }
    }
  }

  /// Puts an entry into the orders.
  private mutating func insertIntoOrders(_ number: UInt32) {
    for sort in orders.keys {
      guard let order = orders[sort] else { continue }
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if isBefore(order[middle], number, in: sort) { low = middle + 1 } else { high = middle }
      }
      orders[sort]?.insert(number, at: low)
    }
  }

  /// Compares two entries. Those of the same date or name are in the order in which they were added: that of the store.
  private func isBefore(_ left: UInt32, _ right: UInt32, in sort: ItemSort) -> Bool {
    let (first, second) = (entries[Int(left)], entries[Int(right)])
    switch sort {
    case .created:
      if first.created != second.created { return first.created < second.created }
    case .modified:
      if first.modified != second.modified { return first.modified < second.modified }
    case .name, .account:
      let result = text.compare(first.place, second.place, bySubtitle: sort == .account)
      if result != 0 { return result < 0 }
    }
    return left < right
  }
}
