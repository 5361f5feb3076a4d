internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// Asks before items are deleted.
struct DeletePage {
  /// What is deleted.
  enum Subject {
    case item(ItemPlace, ItemDetails)
    /// All items that a list shows on all of its pages.
    case list(ItemListQuery, group: String?, ItemSelection)
  }

  let subject: Subject
  let names: TeamNames
  let csrf: String

  var page: Page {
    switch subject {
    case .item(let place, let details): item(place, details)
    case .list(let query, let group, let selection): list(query, group, selection)
    }
  }

  private func item(_ place: ItemPlace, _ details: ItemDetails) -> Page {
    let row = details.row
    var page = Page(title: "Delete this item?", place: .group(row.group))
    page.path = [.group(row.group, names), Page.Step(name: row.title, address: place.address())]
    page.content = card("\(given(row.title, limit: 120))", id: "delete") {
      facts([
        (Term.itemClass.html, text(row.kind.name)), (Term.group.html, given(names.short(row.group))),
        (text(row.kind.subtitleName), row.subtitle.isEmpty ? nil : given(row.subtitle)),
        (Term.modified.html, moment(row.modified)), (Term.writtenBy.html, given(names.words(row.writer))),
      ])
      consequences
      changeForm(
        place.address("delete"), csrf: csrf, fields: ["revision": details.revision.text], .class("actions")
      ) {
        submit("Delete item", .delete, style: "danger")
        linkButton("Cancel", to: place.address())
      }
    }
    return page
  }

  private func list(_ query: ItemListQuery, _ group: String?, _ selection: ItemSelection) -> Page {
    let total = selection.count
    let list = group.map { PageAddress("groups", $0) } ?? PageAddress("items")
    var page = Page(
      title: "Delete \(counted(total, "item"))?", place: group.map { .group($0) } ?? .items)
    page.path = [Page.Step(name: group.map { names.short($0) } ?? "All items", address: query.address(of: list))]
    page.content = card("What is deleted", id: "delete") {
      facts([
        (Term.group.html, group.map { given(names.short($0)) } ?? "all groups that you can write"),
        (Term.itemClass.html, text(query.kind?.pluralName ?? "all classes")),
        ("Search", query.text.isEmpty ? "none" : given(query.text)),
        ("Show", text(query.shown.name)), ("Items", text(total.grouped)),
      ])
      consequences
      changeForm(
        query.address(of: list.appending("delete")), csrf: csrf, fields: ["seen": selection.digest], .class("stack")
      ) {
        checkField(total == 1 ? "Delete it" : "Delete all of them, also those on other pages of the list", "sure")
        div(.class("actions")) {
          submit("Delete \(counted(total, "item"))", .delete, style: "danger")
          linkButton("Cancel", to: query.address(of: list))
        }
      }
    }
    return page
  }

  private var consequences: HTML {
    p(.class("hint")) {
      """
      The deletion syncs to all machines. It can be undone here for \
      \(InspectedVault.undoMinutes) minutes.
      """
    }
  }
}
