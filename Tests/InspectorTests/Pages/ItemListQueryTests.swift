import CofferInspection
import Testing

@testable import CofferInspectProgram

@Suite struct ItemListQueryTests {
  @Test func `The address of a list keeps search, filters, order and page`() throws {
    var query = ItemListQuery()
    query.text = "jane & co"
    query.kind = .certificate
    query.shown = .expiring
    query.sort = .modified
    query.isDescending = true
    query.page = 3
    #expect(
      query.address(of: PageAddress("items")).text
        == "/items?q=jane%20%26%20co&class=cert&show=expiring&sort=-modified&page=3")
    let parameters = ["q": "jane & co", "class": "cert", "show": "expiring", "sort": "-modified", "page": "3"]
    let read = try ItemListQuery(Array(parameters.keys)) { parameters[$0] }
    #expect(read.address(of: PageAddress("items")).text == query.address(of: PageAddress("items")).text)
    #expect(read.isFiltering)
  }

  @Test func `A list is in the order of the names unless its address names another one`() throws {
    let query = try ItemListQuery([]) { _ in nil }
    #expect(query.sort == .name && !query.isDescending && query.request(group: nil).sort == .name)
    let parameters = ["sort": "created"]
    let created = try ItemListQuery(["sort"]) { parameters[$0] }
    #expect(created.address(of: PageAddress("items")).text == "/items?sort=created")
  }

  @Test(arguments: [
    ["class": "none"], ["class": "CERT"], ["class": " cert"], ["show": "conflict"], ["sort": "nme"], ["sort": "--name"],
    ["sort": "-"], ["page": "0"], ["page": "-1"], ["page": "x"], ["page": "99999999999999999999"], ["clas": "cert"],
    ["kind": "cert"], ["": "x"], ["q": String(repeating: "x", count: 1_025)],
  ])
  func `A filter that cannot be read is an error that names it, and never none`(parameters: [String: String]) throws {
    let failure = #expect(throws: PageFailure.self) {
      _ = try ItemListQuery(Array(parameters.keys)) { parameters[$0] }
    }
    let name = try #require(parameters.keys.first)
    #expect(failure?.message.contains(name == "q" ? "search text" : "“\(name)”") == true)
  }

  @Test func `A filter that is given twice is an error`() {
    #expect(throws: PageFailure.self) { _ = try ItemListQuery(["class", "class"]) { _ in "cert" } }
  }

  @Test func `An address without filters, or with empty ones as forms send them, is that of all items`() throws {
    let empty = try ItemListQuery(["q", "class", "show", "sort", "page"]) { _ in "" }
    let none = try ItemListQuery([]) { _ in nil }
    for query in [empty, none] {
      #expect(query.address(of: PageAddress("items")).text == "/items")
      #expect(!query.isFiltering)
    }
    // What a page is called with after a form.
    #expect(!(try ItemListQuery(["done", "count", "undo", "revision"]) { _ in nil }).isFiltering)
  }
}
