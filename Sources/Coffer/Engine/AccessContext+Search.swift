internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

extension AccessContext {
  /// The maximum number of items that are opened in one transaction.
  static let pageSize = 256

  /// Performs the next step of a search: returns the next items, and advances the cursor.
  func page(
    _ cursor: inout SearchCursor, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool
  ) throws -> SearchPage {
    var page = SearchPage()
    // Resolve the names once: groups that are added or removed during a search do not shift the others.
    let names = try cursor.names ?? groups(named: cursor.search.group).map(\.name)
    cursor.names = names
    while page.items.isEmpty, page.damaged.isEmpty, !cursor.isFinished {
      guard cursor.groupIndex < names.count, cursor.remaining > 0 else {
        cursor.isFinished = true
        break
      }
      guard let group = groups.first(where: { $0.name == names[cursor.groupIndex] }) else {
        cursor.advance()
        continue
      }
      try step(&cursor, in: group, reader, withValues: withValues, into: &page)
    }
    return page
  }

  /// Returns all items that a search finds, in one transaction. If `damaged` is given, it receives the error of each
  /// damaged item; otherwise the first one is thrown.
  func findAll(
    _ search: ItemSearch, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool,
    damaged: ((VaultError) -> Void)? = nil
  ) throws -> [FoundItem] {
    var cursor = SearchCursor(search)
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
    _ cursor: inout SearchCursor, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable,
    withValues: Bool, into page: inout SearchPage
  ) throws {
    switch cursor.place {
    case .start:
      let keys = try keyring.currentKeys(of: group.registered)
      if let items = cursor.search.itemIDs(keys) {
        cursor.place = .items(items, 0, [])
        return
      }
      let tokens = cursor.search.tokens(keys)
      cursor.place =
        tokens.isEmpty
        ? .scan(after: nil) : .items(try reader.items(in: group.id, matching: tokens), 0, tokens)
    case .items(let items, let index, let tokens):
      let end = min(index + Self.pageSize, items.count)
      for item in items[index..<end] {
        guard cursor.remaining > 0 else { break }
        let rows = try reader.heads(
          of: item, in: group.id, withValues: withValues, verifiedBy: author.id)
        try appendMatch(item, rows, in: group, &cursor, reader, withValues: withValues, into: &page, tokens: tokens)
      }
      if end == items.count { cursor.advance() } else { cursor.place = .items(items, end, tokens) }
    case .scan(let last):
      let rows = try reader.page(
        of: group.id, after: last, limit: Self.pageSize, withValues: withValues, verifiedBy: author.id)
      for (item, heads) in rows {
        guard cursor.remaining > 0 else { break }
        try appendMatch(item, heads, in: group, &cursor, reader, withValues: withValues, into: &page)
      }
      if let last = rows.last, rows.count == Self.pageSize {
        cursor.place = .scan(after: last.item)
      } else {
        if cursor.remaining > 0, try reader.hasRowsWithoutItem(in: group.id) {
          page.damaged.append(Self.damaged("its row names no item", in: group))
        }
        cursor.advance()
      }
    }
  }

  private func appendMatch(
    _ item: ItemID, _ rows: [StoredRecord], in group: AccessibleGroup, _ cursor: inout SearchCursor,
    _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool, into page: inout SearchPage,
    tokens: [Token] = []
  ) throws {
    do {
      guard
        let heads = try heads(of: item, rows: rows, in: group, reader, withValues: withValues), heads.isLive,
        heads.winner.header.itemClass == cursor.search.itemClass
      else { return }
      // Tokens that no head has signed were written by somebody else, who may have removed others too.
      guard heads.all.contains(where: { Set($0.header.tokens).isSuperset(of: tokens) }) else {
        throw Self.damaged("its index entries differ from its signed tokens", in: group)
      }
      let found = try open(heads, in: group, withValue: withValues)
      guard cursor.search.matches(found.attributes) else { return }
      page.items.append(found)
      cursor.remaining -= 1
    } catch {
      let error = VaultError(translating: error)
      guard error.code == .integrity else { throw error }
      page.damaged.append(error)
    }
  }

  /// Opens the winner.
  func open(_ heads: ItemHeads, in group: AccessibleGroup, withValue: Bool) throws -> FoundItem {
    try open(heads.winner, in: group, withValue: withValue, hasConflict: heads.hasConflict)
  }

  /// Opens a verified version.
  func open(_ record: Record, in group: AccessibleGroup, withValue: Bool, hasConflict: Bool) throws -> FoundItem {
    let keys = try keyring.keys(for: record.header, of: group.registered)
    do throws(FormatError) {
      return FoundItem(
        itemClass: record.header.itemClass, attributes: try record.attributes(with: keys),
        value: withValue ? try record.value(with: keys) : nil, group: group.name,
        writer: membership.writer(of: record), hasConflict: hasConflict, item: record.header.item,
        groupID: group.id, version: record.hash)
    } catch {
      throw Self.damaged(error.description, in: group)
    }
  }
}
