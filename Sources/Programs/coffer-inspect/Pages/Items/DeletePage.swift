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
    page.path = [
      Page.Step(name: names.short(row.group), address: PageAddress("groups", row.group)),
      Page.Step(name: row.title, address: place.address()),
    ]
    page.content = card("\(given(row.title, limit: 120))", id: "delete") {
      facts([
        (Term.itemClass.html, text(row.kind.name)), (Term.group.html, given(names.short(row.group))),
        (text(row.kind.subtitleName), row.subtitle.isEmpty ? nil : given(row.subtitle)),
        (Term.modified.html, moment(row.modified)), (Term.writtenBy.html, given(names.words(row.writer))),
      ])
      consequences
      form(.method(.post), .action(place.address("delete")), .class("actions")) {
        csrfField(csrf)
        input(.type("hidden"), .name("revision"), .value(details.revision.text))
        button(.type("submit"), .class("danger")) {
          Icon.delete.html
          "Delete item"
        }
        a(.class("button"), .href(place.address())) { "Cancel" }
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
      form(.method(.post), .action(query.address(of: list.appending("delete"))), .class("stack")) {
        csrfField(csrf)
        input(.type("hidden"), .name("seen"), .value(selection.digest))
        div(.class("check")) {
          input(.id("sure"), .type("checkbox"), .name("sure"), .value("1"), .required())
          label(.for("sure")) {
            total == 1 ? "Delete it" : "Delete all of them, also those on other pages of the list"
          }
        }
        div(.class("actions")) {
          button(.type("submit"), .class("danger")) {
            Icon.delete.html
            "Delete \(counted(total, "item"))"
          }
          a(.class("button"), .href(query.address(of: list))) { "Cancel" }
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
