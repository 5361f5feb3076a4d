import Testing

@testable import CofferInspectProgram

@Suite struct PageAddressTests {
  @Test func `Each part of a path is encoded, so that no part leads elsewhere`() {
    #expect(PageAddress().text == "/")
    #expect(PageAddress("groups", "K3QX.com.example.photo").text == "/groups/K3QX.com.example.photo")
    #expect(PageAddress("groups", "../../x?y#z\"<").text == "/groups/..%2F..%2Fx%3Fy%23z%22%3C")
    #expect(PageAddress("/evil.example", "a b").text == "/%2Fevil.example/a%20b")
    #expect(PageAddress("groups", "größe\u{0}").text == "/groups/gr%C3%B6%C3%9Fe%00")
  }

  @Test func `A query holds only what is not empty`() {
    let address = PageAddress("items").with("q", "a&b=c d").with("class", "").with("sort", nil)
    #expect(address.text == "/items?q=a%26b%3Dc%20d")
    #expect(address.with("page", "2").at("items").text == "/items?q=a%26b%3Dc%20d&page=2#items")
  }

  @Test func `A page below another keeps the path above`() {
    #expect(PageAddress("items", "genp").appending("0a1b", "edit").text == "/items/genp/0a1b/edit")
  }
}
