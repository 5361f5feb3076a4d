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
    page.path = [
      Page.Step(name: names.short(details.row.group), address: PageAddress("groups", details.row.group)),
      Page.Step(name: details.row.title, address: place.address()),
    ]
    page.lead = "\(given(details.row.title, limit: 120)) is in \(given(names.short(details.row.group)))."
    page.notice =
      failure.map { words in
        Notice(kind: .danger, title: "The item was not moved.", detail: p { text(words) })
      } ?? ChangeWarning.conflict(details)
    let others = groups.filter { $0 != details.row.group }
    page.content = card("Move to another group", id: "move") {
      if others.isEmpty {
        empty(.move, "There is no other group that you can write", "Register an app that has one.")
      } else {
        form(.class("stack"), .method(.post), .action(place.address("move"))) {
          csrfField(csrf)
          input(.type("hidden"), .name("revision"), .value(details.revision.text))
          div(.class("field")) {
            label(.for("to")) { "Group" }
            selection(.id("to"), .name("to"), .describedBy("to-hint")) {
              for group in others { option(.value(group)) { text(names.short(group)) } }
            }
            p(.id("to-hint"), .class("hint")) {
              "The apps of that group can read the item then, and those of this one no longer. The history stays here."
            }
          }
          div(.class("actions")) {
            button(.type("submit"), .class("primary")) { "Move item" }
            a(.class("button"), .href(place.address())) { "Cancel" }
          }
        }
      }
    }
    return page
  }
}
