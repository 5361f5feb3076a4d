internal import CofferInspection
internal import CofferSystem

/// Asks before items are deleted, moved, exported or dismissed from what to replace: one, or those that a person has
/// selected in a list.
struct SelectionPage {
  /// What is done with the items.
  enum Action: String { case delete, move, export, dismiss }

  let action: Action
  let rows: [ItemRow]
  /// Where the form is sent.
  let address: PageAddress
  /// What the form says of the items.
  let fields: [(name: String, value: String)]
  /// The pages above. "Cancel" leads to the last one.
  let path: [Page.Step]
  let menu: Page.Place
  /// The full names of the groups that can be written.
  let groups: [String]
  var notice: Notice?
  /// Whether a dismissal needs this machine's passphrase.
  var hasPassphrase = false
  let names: TeamNames
  let csrf: String

  private var what: String { rows.count == 1 ? "item" : "\(rows.count.grouped) items" }

  var page: Page {
    let title = rows.count == 1 ? rows[0].name : what
    var page = Page(
      title: rows.isEmpty ? "Nothing to \(action.rawValue)" : "\(action.rawValue.startingSentence) \(title)?",
      place: menu)
    page.path = path
    page.notice = notice
    let others = groups.filter { group in rows.contains { $0.group != group } }
    page.content = section(.class("card"), .label("Items")) {
      ul(.class("chosen-items")) { for row in rows { html(of: row) } }
      if action == .move, others.isEmpty {
        empty(.move, "There is no other group that you can write", "Register an app that has one.")
      } else if rows.isEmpty {
        empty(.done, "None of them is to be replaced", "Nobody who was removed from the vault could read their values.")
      } else {
        changeForm(address, csrf: csrf, .class("stack")) {
          for field in fields { hiddenField(field.name, field.value) }
          switch action {
          case .delete:
            DeletePage.consequences
            end(submit("Delete \(what)", .delete, style: "danger"))
          case .export:
            ExportPage.choices
            end(submit("Download", .export, style: "primary"))
          case .dismiss:
            p(.class("hint")) { "They leave the list of what to replace. Their values stay as they are." }
            ReplacementListPage.reason("", hasPassphrase)
            end(submit("Dismiss \(what)", style: "primary"))
          case .move:
            choice(
              "Group", "to", others.map { ($0, names.display($0)) },
              hint:
                "The apps of that group can read it then, and those of this one no longer. The history stays here.")
            end(submit("Move \(what)", .move, style: "primary"))
          }
        }
      }
    }
    return page
  }

  private func end(_ submit: HTML) -> HTML { formEnd(submit, cancel: path.last?.address ?? PageAddress()) }

  private func html(of row: ItemRow) -> HTML {
    li(.class("line")) {
      tile(row.name, row.kind)
      span { given(row.name, limit: 100) }
      span(.class("caption")) { "\(given(row.caption, limit: 100)) · \(given(names.display(row.group)))" }
    }
  }
}
