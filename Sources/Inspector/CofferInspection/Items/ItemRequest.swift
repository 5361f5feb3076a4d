internal import Coffer
internal import CofferFormat
package import CofferPlatform
package import CofferVault

/// The order of a list of items.
package enum ItemSort: String, CaseIterable, Sendable {
  /// By when the items were created: the order of all lists of the programs.
  case created
  case modified
  /// By the name that people know the item by, ignoring case and diacritics.
  case name
  /// By account, issuer or tag, ignoring case and diacritics.
  case account
}

/// A list of items that a person asks for: filters, search text, order and page.
package struct ItemRequest: Sendable, Hashable {
  /// The numbers of items per page that can be asked for.
  package static let pageSizes = 1...500
  /// Certificates and keys that expire within this time count as expiring, and so do those that have expired: 30 days,
  /// in seconds.
  package static let expiryNotice: TimeInterval = 30 * 86_400

  /// The access group, by its full name or without the team prefix; nil for all that can be read.
  package var group: String?
  /// The kind of item; nil for all. The certificates of identities are listed once, as certificates, unless identities
  /// are asked for.
  package var kind: ItemKind?
  /// Words that each must be in one of the item's texts, ignoring case and diacritics. Empty for no search.
  package var text: String
  /// Lists only items that machines have changed at the same time.
  package var isConflictOnly: Bool
  /// Lists only certificates and keys that have expired or expire soon.
  package var isExpiringOnly: Bool
  package var sort: ItemSort
  package var isDescending: Bool
  /// The number of the page, from 1.
  package var page: Int
  /// The number of items per page, clamped to ``pageSizes``.
  package var pageSize: Int

  package init(
    group: String? = nil, kind: ItemKind? = nil, text: String = "", isConflictOnly: Bool = false,
    isExpiringOnly: Bool = false, sort: ItemSort = .created, isDescending: Bool = false, page: Int = 1,
    pageSize: Int = 50
  ) {
    self.group = group
    self.kind = kind
    self.text = text
    self.isConflictOnly = isConflictOnly
    self.isExpiringOnly = isExpiringOnly
    self.sort = sort
    self.isDescending = isDescending
    self.page = page
    self.pageSize = min(max(pageSize, Self.pageSizes.lowerBound), Self.pageSizes.upperBound)
  }

  /// The words to search for, folded. A word of nothing but diacritics stays as it is, and is found nowhere: without
  /// it, the request would find more than was asked for.
  var words: [[UInt8]] {
    // By scalars: a diacritic after a space is one character with it, which is no space.
    text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { scalars in
      let word = String(String.UnicodeScalarView(scalars))
      let folded = IndexText.folded(word)
      return folded.isEmpty ? Array(word.utf8) : folded
    }
  }
}

/// One page of a list of items.
package struct ItemPage: Sendable {
  package let rows: [ItemRow]
  /// The number of items on all pages.
  package let total: Int
  /// The number of this page, from 1.
  package let page: Int
  /// The number of pages, at least 1.
  package let pageCount: Int
  /// Errors of damaged items that no page shows, at most 100.
  package let damaged: [VaultError]

  init(_ rows: [ItemRow], of total: Int, _ request: ItemRequest, damaged: [VaultError]) {
    self.rows = rows
    self.total = total
    pageCount = max(1, (total + request.pageSize - 1) / request.pageSize)
    page = min(max(request.page, 1), pageCount)
    self.damaged = damaged
  }
}

extension InspectedVault {
  /// Begins to build the index of the names, which lists are sorted by, while a person looks at something else.
  package func prepareLists() { index.buildInBackground() }

  /// Returns a page of the items that a request finds. A page beyond the last one is the last one.
  ///
  /// The first request builds the index, or waits for it.
  package func items(_ request: ItemRequest = ItemRequest()) throws(VaultError) -> ItemPage {
    let group = try request.group.map { name throws(VaultError) in try vault.groupID(named: name) }
    let found = try index.find(request, in: group)
    var damaged = found.damaged
    // What was deleted a moment ago is left out; the number of items is that of before.
    let items = try vault.items(at: found.addresses) { damaged.append($0) }.compactMap(\.self)
    let kind: ItemKind? = request.kind == .identity ? .identity : nil
    return ItemPage(items.map { ItemRow($0, as: kind) }, of: found.total, request, damaged: damaged)
  }

  /// Calls `body` with the row of each item of a kind in a group, oldest first, with few of them in memory at a time.
  /// Identities are listed by their certificates. The group is a full name, or without the team prefix. Returns errors
  /// of damaged items, at most 100. If `body` throws, the call ends.
  @discardableResult
  package func forEachItem(
    of kind: ItemKind, in group: String, _ body: (ItemRow) throws -> Void
  ) throws -> [VaultError] {
    var damaged: [VaultError] = []
    var cursor = SearchCursor(ItemSearch(kind.itemClass, group: group))
    while !cursor.isFinished {
      let page = try vault.page(&cursor)
      damaged += page.damaged.prefix(100 - min(damaged.count, 100))
      for found in page.items {
        if kind == .identity, try privateKey(of: found) == nil { continue }
        try body(ItemRow(found, as: kind))
      }
    }
    return damaged
  }

  /// Returns the full names of the groups to show: the named one, or all that can be read, in the order in which they
  /// are searched.
  package func groups(named name: String? = nil) throws(VaultError) -> [String] {
    try vault.groupNames(name)
  }

  /// Returns the items with the names that people know them by, in the order of the groups that are searched and, in a
  /// group, the oldest first. Names are service and account, server and account, or the label, as the kind requires.
  package func items(
    named names: [String], of kind: ItemKind, in group: String? = nil
  ) throws(VaultError) -> [ItemRow] {
    let search = ItemSearch(kind.itemClass, attributes: kind.attributes(named: names), group: group)
    var rows: [ItemRow] = []
    for found in try vault.find(search, withValues: false) {
      if kind == .identity, try privateKey(of: found) == nil { continue }
      rows.append(ItemRow(found, as: kind))
    }
    let groups = try vault.groupNames(group)
    // Sorting is stable.
    return rows.sorted { (groups.firstIndex(of: $0.group) ?? 0) < (groups.firstIndex(of: $1.group) ?? 0) }
  }

  /// Returns the number of items of a kind in a group, or in all of them.
  package func itemCount(of kind: ItemKind? = nil, in group: String? = nil) throws(VaultError) -> Int {
    guard kind == .identity else { return try vault.itemCount(of: kind?.itemClass, in: group) }
    return try items(ItemRequest(group: group, kind: .identity, pageSize: 1)).total
  }
}
