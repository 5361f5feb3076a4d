internal import CofferInspection
internal import CofferSystem

/// Asks before the items that a person has selected in a list are deleted or moved.
struct SelectionPage {
  /// What is done with the items.
  enum Action: String { case delete, move }

  let action: Action
  /// The items as the form names them, and as they are.
  let items: [(field: String, row: ItemRow)]
  /// What identifies the items as they are.
  let selection: ItemSelection
  /// The full names of the groups that can be written.
  let groups: [String]
  let place: ListPlace
  var failure: String?
  let names: TeamNames
  let csrf: String

  private var count: String { counted(items.count, "item") }

  var page: Page {
    var page = Page(
      title: "\(action.rawValue.startingSentence) \(count)?", place: place.menu)
    page.path = [Page.Step(name: place.title(names), address: place.address)]
    page.notice = .failure("Nothing was changed.", failure)
    page.content = card(text(count.startingSentence), id: "selection") {
      ul(.class("chosen-items")) {
        for item in items {
          li(.class("line")) {
            tile(item.row.name, item.row.kind)
            span { given(item.row.name, limit: 100) }
            span(.class("caption")) { given(item.row.caption, limit: 100) }
          }
        }
      }
      changeForm(
        place.carried(by: PageAddress("selection")), csrf: csrf,
        fields: ["action": action.rawValue, "seen": selection.digest], .class("stack")
      ) {
        for item in items { hiddenField(ItemTable.field, item.field) }
        switch action {
        case .delete:
          DeletePage.consequences
          formEnd(submit("Delete \(count)", .delete, style: "danger"), cancel: place.address)
        case .move:
          choice("Group", "to", groups.map { ($0, names.display($0)) }, hint: ItemMovePage.consequences)
          formEnd(submit("Move \(count)", .move, style: "primary"), cancel: place.address)
        }
      }
    }
    return page
  }
}
