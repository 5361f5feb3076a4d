internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// The form that moves an item to another group.
struct ItemMovePage {
  let place: ItemPlace
  let details: ItemDetails
  /// The full names of the groups that can be written.
  let groups: [String]
  var failure: String?
  let names: TeamNames
  let csrf: String

  var page: Page {
    var page = Page(title: "Move", place: .group(details.row.group))
    page.path = [.group(details.row.group, names), Page.Step(name: details.row.title, address: place.address())]
    page.lead = "\(given(details.row.title, limit: 120)) is in \(given(names.short(details.row.group)))."
    page.notice = .failure("The item was not moved.", failure) ?? ChangeWarning.conflict(details)
    let others = groups.filter { $0 != details.row.group }
    page.content = card("Move to another group", id: "move") {
      if others.isEmpty {
        empty(.move, "There is no other group that you can write", "Register an app that has one.")
      } else {
        changeForm(place.address("move"), csrf: csrf, fields: ["revision": details.revision.text], .class("stack")) {
          choice(
            "Group", "to", others.map { ($0, names.short($0)) },
            hint:
              "The apps of that group can read the item then, and those of this one no longer. The history stays here.")
          div(.class("actions")) {
            submit("Move item", style: "primary")
            linkButton("Cancel", to: place.address())
          }
        }
      }
    }
    return page
  }
}
