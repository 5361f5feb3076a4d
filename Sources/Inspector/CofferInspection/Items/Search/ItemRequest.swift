package import CofferPlatform

/// The order of a list of items.
package enum ItemSort: String, CaseIterable, Sendable {
  /// By when the items were created: the order of all lists of the programs.
  case created
  case modified
  /// By title, ignoring case and diacritics.
  case name
  /// By account, issuer or tag, ignoring case and diacritics.
  case account
}

/// A list of items that a person asks for: filters, search text, order and page.
package struct ItemRequest: Sendable, Hashable {
  /// The numbers of items per page that can be asked for.
  package static let pageSizes = 1...500
  /// Certificates and keys that expire within this time count as expiring, and so do those that have expired: 30 days, in
  /// seconds.
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

  /// Whether the store's own order and kept counts answer the request, without an index.
  var isFirstPageOfAll: Bool {
    page <= 1 && kind != .identity && words.isEmpty && !isConflictOnly && !isExpiringOnly && sort == .created
      && !isDescending
  }

  /// The words to search for, folded. A word of nothing but diacritics stays as it is, and is found nowhere: without it,
  /// the request would find more than was asked for.
  var words: [[UInt8]] {
    // By scalars: a diacritic after a space is one character with it, which is no space.
    text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { scalars in
      let word = String(String.UnicodeScalarView(scalars))
      let folded = IndexText.folded(word)
      return folded.isEmpty ? Array(word.utf8) : folded
    }
  }
}
