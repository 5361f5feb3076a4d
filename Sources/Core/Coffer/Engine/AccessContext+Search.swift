internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

extension AccessContext {
  /// The maximum number of items that are opened in one transaction.
  static let pageSize = 256

  /// Performs the next steps of a search: returns the next items, oldest first, and advances the cursor.
  func page(
    _ cursor: inout SearchCursor, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool
  ) throws -> SearchPage {
    var page = SearchPage()
    cursor.seen.beginPage()
    do {
      try fill(&page, &cursor, reader, withValues: withValues)
    } catch {
      cursor.seen.forgetPage()
      throw error
    }
    return page
  }

  private func fill(
    _ page: inout SearchPage, _ cursor: inout SearchCursor, _ reader: borrowing some StoreAccess & ~Copyable,
    withValues: Bool
  ) throws {
    while page.items.isEmpty, page.damaged.isEmpty, !cursor.isFinished {
      guard cursor.remaining > 0 else {
        cursor.isFinished = true
        break
      }
      try step(&cursor, reader, withValues: withValues, into: &page)
    }
  }

  /// Returns all items that a search finds, in one transaction. If `damaged` is given, it receives the error of each
  /// damaged item; otherwise the first one is thrown. If `groups` is given, only these are searched.
  func findAll(
    _ search: ItemSearch, in groups: [AccessibleGroup]? = nil, _ reader: borrowing some StoreAccess & ~Copyable,
    withValues: Bool, damaged: ((VaultError) -> Void)? = nil
  ) throws -> [FoundItem] {
    var cursor = SearchCursor(search, in: groups, spansTransactions: false)
    var found: [FoundItem] = []
    while !cursor.isFinished {
      let page = try page(&cursor, reader, withValues: withValues)
      found += page.items
      for error in page.damaged {
        guard let damaged else { throw error }
        damaged(error)
      }
    }
    return found
  }

  private func step(
    _ cursor: inout SearchCursor, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool,
    into page: inout SearchPage
  ) throws {
    guard let progress = cursor.groups else {
      if try !appendNamed(&cursor, reader, withValues: withValues, into: &page) { try begin(&cursor, reader) }
      return
    }
    let listed = progress.indices.filter { progress[$0].isListed }
    if !listed.isEmpty {
      try appendListed(listed, of: progress, &cursor, reader, withValues: withValues, into: &page)
    } else if let index = progress.firstIndex(where: { $0.isUnlisted }) {
      try appendUnlisted(index, &cursor, reader, withValues: withValues, into: &page)
    } else {
      cursor.isFinished = true
      if let failure = cursor.failure { throw failure }
    }
  }

  /// Completes a search by the whole primary key, which can find two items in each group. Returns false for any other.
  private func appendNamed(
    _ cursor: inout SearchCursor, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool,
    into page: inout SearchPage
  ) throws -> Bool {
    var found: [(item: FoundItem, created: Timestamp, index: Int)] = []
    for group in try cursor.searched ?? groups(named: cursor.search.group) {
      guard let keys = try keys(of: group, &cursor) else { continue }
      guard let items = cursor.search.itemIDs(keys) else { return false }
      for item in items {
        let rows = try reader.heads(of: item, in: group.id, withValues: withValues, verifiedBy: author.id)
        let match = try match(
          item, rows, in: group, cursor, reader, withValues: withValues, into: &page, tokens: [])
        if let match { found.append((match.item, match.created, found.count)) }
      }
    }
    // Of items of the same time, that in the first group comes first.
    found.sort { ($0.created, $0.index) < ($1.created, $1.index) }
    page.items = found.prefix(cursor.remaining).map(\.item)
    cursor.isFinished = true
    if found.count >= cursor.remaining {
      // What else there is does not matter, damaged or not.
      page.damaged = []
    } else if let failure = cursor.failure {
      throw failure
    }
    return true
  }

  /// Returns the keys of a group. If they cannot be opened, the error is thrown when the search needs more items than
  /// the other groups have.
  private func keys(of group: AccessibleGroup, _ cursor: inout SearchCursor) throws -> GroupKeys? {
    do {
      return try keyring.currentKeys(of: group.registered)
    } catch {
      cursor.failure = cursor.failure ?? error
      return nil
    }
  }

  private func begin(
    _ cursor: inout SearchCursor, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws {
    cursor.groups = try (cursor.searched ?? groups(named: cursor.search.group)).compactMap { group in
      guard let keys = try keys(of: group, &cursor) else { return nil }
      let tokens = cursor.search.tokens(keys)
      return SearchCursor.Group(
        name: group.name, source: tokens.isEmpty ? .all : .tokens(tokens),
        expectedCount: tokens.isEmpty ? try reader.itemCount(in: group.id, of: cursor.search.itemClass) : 0)
    }
  }

  /// Appends the next items in the order of lists, from all groups.
  private func appendListed(
    _ indexes: [Int], of progress: [SearchCursor.Group], _ cursor: inout SearchCursor,
    _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool, into page: inout SearchPage
  ) throws {
    var progress = progress
    defer { cursor.groups = progress }
    var next: [(place: ListPlace, head: StoredRecord?, index: Int, group: AccessibleGroup)] = []
    // Beyond this place, a group may have items that were not read yet: they come first.
    var horizon: ListPlace?
    for index in indexes {
      guard let group = groups.first(where: { $0.name == progress[index].name }) else {
        progress[index].source = .none
        continue
      }
      let places: [(place: ListPlace, head: StoredRecord?)] =
        switch progress[index].source {
        case .tokens(let tokens):
          try reader.places(in: group.id, matching: tokens, after: cursor.last, limit: cursor.pageSize)
            .map { ($0, nil) }
        case .all, .unlisted, .none:
          // Of several groups, many places are read again with the next page: their heads are not.
          try reader.places(
            in: group.id, of: cursor.search.itemClass, after: cursor.last, limit: cursor.pageSize,
            headsVerifiedBy: indexes.count == 1 && !withValues ? author.id : nil)
        }
      if places.count == cursor.pageSize, let last = places.last?.place { horizon = min(horizon ?? last, last) }
      next += places.map { ($0.place, $0.head, index, group) }
    }
    if indexes.count > 1 { next.sort { $0.place < $1.place } }
    cursor.pageSize = min(cursor.pageSize * 4, Self.pageSize)
    for (place, head, index, group) in next {
      if let horizon, horizon < place { return }
      cursor.last = place
      // Of an item in conflict, each head has a place. Its heads are read once.
      if cursor.seen.contains(place.item) { continue }
      let rows =
        try head.map { [$0] }
        ?? reader.heads(of: place.item, in: group.id, withValues: withValues, verifiedBy: author.id)
      var tokens: [Token] = []
      if case .tokens(let wanted) = progress[index].source { tokens = wanted }
      if rows.count > 1 || cursor.spansTransactions || !tokens.isEmpty {
        guard cursor.seen.insert(place.item) else { continue }
      }
      progress[index].count += 1
      if let match = try match(
        place.item, rows, in: group, cursor, reader, withValues: withValues, into: &page, tokens: tokens)
      {
        // The item that was just returned may have another primary key or group by now.
        if cursor.spansTransactions, cursor.lastReturned?.isPlace(of: place) == true { continue }
        cursor.lastReturned = place
        page.items.append(match.item)
        cursor.remaining -= 1
        if cursor.remaining == 0 { return }
      }
    }
    guard horizon == nil else { return }
    for index in indexes {
      guard let group = groups.first(where: { $0.name == progress[index].name }) else { continue }
      progress[index].source =
        try isIncomplete(progress[index], in: group, cursor, reader) ? .unlisted(after: nil) : .none
    }
  }

  /// Whether marks in the rows are wrong, according to the number of items, so that the list may have missed some.
  private func isIncomplete(
    _ progress: SearchCursor.Group, in group: AccessibleGroup, _ cursor: SearchCursor,
    _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> Bool {
    guard case .all = progress.source, progress.count != progress.expectedCount else { return false }
    // Otherwise, items were added or deleted in the meantime.
    return try reader.itemCount(in: group.id, of: cursor.search.itemClass) == progress.expectedCount
  }

  /// Appends the items of a group that the list has missed: every item is read, and its heads are found by their signed
  /// bytes.
  private func appendUnlisted(
    _ index: Int, _ cursor: inout SearchCursor, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool,
    into page: inout SearchPage
  ) throws {
    guard let progress = cursor.groups?[index], case .unlisted(let last) = progress.source,
      let group = groups.first(where: { $0.name == progress.name })
    else {
      cursor.groups?[index].source = .none
      return
    }
    let rows = try reader.page(
      of: group.id, after: last, notListedIn: cursor.search.itemClass, limit: Self.pageSize, withValues: withValues,
      verifiedBy: author.id)
    for (item, heads) in rows where cursor.remaining > 0 {
      if let match = try match(item, heads, in: group, cursor, reader, withValues: withValues, into: &page, tokens: [])
      {
        guard cursor.seen.insert(item) else { continue }
        page.items.append(match.item)
        cursor.remaining -= 1
      }
    }
    if let last = rows.last, rows.count == Self.pageSize {
      cursor.groups?[index].source = .unlisted(after: last.item)
    } else {
      if try reader.hasRowsWithoutItem(in: group.id) {
        page.damaged.append(Self.damaged("its row names no item", in: group))
      }
      cursor.groups?[index].source = .none
    }
  }

  /// Returns the item if the search finds it, and when it was created. The error of a damaged item is added to the
  /// page.
  private func match(
    _ item: ItemID, _ rows: [StoredRecord], in group: AccessibleGroup, _ cursor: SearchCursor,
    _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool, into page: inout SearchPage, tokens: [Token]
  ) throws -> (item: FoundItem, created: Timestamp)? {
    do {
      guard
        let heads = try heads(of: item, rows: rows, in: group, reader, withValues: withValues), heads.isLive,
        heads.winner.header.itemClass == cursor.search.itemClass
      else { return nil }
      // Tokens that no head has signed were written by somebody else, who may have removed others too.
      guard tokens.isEmpty || heads.all.contains(where: { Set($0.header.tokens).isSuperset(of: tokens) }) else {
        throw Self.damaged("its index entries differ from its signed tokens", in: group)
      }
      let found = try open(heads, in: group, withValue: withValues)
      return cursor.search.matches(found.attributes) ? (found, heads.winner.header.orderTime) : nil
    } catch {
      let error = VaultError(translating: error)
      guard error.code == .integrity else { throw error }
      page.damaged.append(error)
      return nil
    }
  }

  /// Opens the winner.
  func open(_ heads: ItemHeads, in group: AccessibleGroup, withValue: Bool) throws -> FoundItem {
    try open(heads.winner, in: group, withValue: withValue, hasConflict: heads.hasConflict)
  }

  /// Opens a verified version.
  func open(_ record: Record, in group: AccessibleGroup, withValue: Bool, hasConflict: Bool) throws -> FoundItem {
    let (attributes, value) = try contents(of: record, in: group, withValue: withValue)
    let writer = membership.writer(of: record)
    return FoundItem(
      itemClass: record.header.itemClass, attributes: attributes, value: value, group: group.name,
      application: writer.application, device: writer.device, hasConflict: hasConflict,
      address: ItemAddress(group: group.id, item: record.header.item), version: record.hash)
  }

  /// Opens the attributes of a verified version and, if asked for, its value. Throws `integrity` if its author has
  /// sealed something else than the version of this item.
  func contents(
    of record: Record, in group: AccessibleGroup, withValue: Bool
  ) throws(VaultError) -> (attributes: ItemAttributes, value: [UInt8]?) {
    let keys = try keyring.keys(for: record, of: group.registered)
    do throws(FormatError) {
      guard withValue else { return (try record.attributes(with: keys), nil) }
      let (attributes, value) = try record.contents(with: keys)
      return (attributes, value)
    } catch {
      throw unusable(record, error, in: group)
    }
  }

  /// Returns the error for a version that its author has signed and whose contents are not those of its item. No copy
  /// of it is better.
  private func unusable(_ record: Record, _ error: FormatError, in group: AccessibleGroup) -> VaultError {
    let problem =
      error.field == "item" ? "its attributes are those of another item" : error.description
    return VaultError(
      .integrity,
      "an item in \(group.name) is damaged: \(problem); \(membership.writer(of: record).safeWords) has signed it so",
      recoverySuggestion:
        "the other items are unharmed; write this one again, or delete it: coffer delete --item \(record.header.item.raw.hex)"
    )
  }
}

extension SearchCursor.Group {
  /// Whether the search goes through the list of the group.
  fileprivate var isListed: Bool {
    switch source {
    case .tokens, .all: true
    case .unlisted, .none: false
    }
  }

  /// Whether the search goes through the items that are not in the list.
  fileprivate var isUnlisted: Bool { if case .unlisted = source { true } else { false } }
}

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
