package import CofferVault

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
