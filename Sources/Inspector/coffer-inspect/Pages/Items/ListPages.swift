internal import CofferInspection
internal import CofferSystem

/// The links to the other pages of a list.
struct ListPages {
  let list: ItemPage
  let query: ItemListQuery
  let address: PageAddress

  var html: HTML? {
    guard list.pageCount > 1 else { return nil }
    return nav(.class("pages"), .label("Pages")) {
      div(.class("actions")) {
        step("First", to: 1, isOn: list.page > 1)
        step("Previous", to: list.page - 1, isOn: list.page > 1)
      }
      span { "Page \(list.page.grouped) of \(list.pageCount.grouped)" }
      div(.class("actions")) {
        step("Next", to: list.page + 1, isOn: list.page < list.pageCount)
        step("Last", to: list.pageCount, isOn: list.page < list.pageCount)
      }
    }
  }

  private func step(_ name: HTML, to page: Int, isOn: Bool) -> HTML? {
    guard isOn else { return nil }
    var query = query
    query.page = page
    return linkButton(name, to: query.address(of: address), style: "small")
  }
}
