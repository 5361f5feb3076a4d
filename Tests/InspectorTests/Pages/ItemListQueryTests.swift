import CofferInspection
import Testing

@testable import CofferInspectProgram

@Suite struct ItemListQueryTests {
  @Test func `The address of a list keeps search, filters, order and page`() {
    var query = ItemListQuery()
    query.text = "jane & co"
    query.kind = .certificate
    query.shown = .expiring
    query.sort = .name
    query.isDescending = true
    query.page = 3
    #expect(
      query.address(of: PageAddress("items")).text
        == "/items?q=jane%20%26%20co&class=cert&show=expiring&sort=-name&page=3")
    let parameters = ["q": "jane & co", "class": "cert", "show": "expiring", "sort": "-name", "page": "3"]
    let read = ItemListQuery { parameters[$0] }
    #expect(read.address(of: PageAddress("items")).text == query.address(of: PageAddress("items")).text)
    #expect(read.isFiltering)
  }

  @Test func `What an address has wrong is left at its default`() {
    let query = ItemListQuery { _ in "../<script>" }
    #expect(query.kind == nil)
    #expect(query.shown == .all)
    #expect(query.sort == .created)
    #expect(query.page == 1)
    #expect(ItemListQuery { _ in nil }.address(of: PageAddress("items")).text == "/items")
  }
}
