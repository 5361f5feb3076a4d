internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// The deleted items whose last versions are kept.
struct DeletedListPage {
  let rows: [DeletedItemRow]
  /// The full names of the groups that can be written.
  let writableGroups: [String]
  let names: TeamNames
  let csrf: String

  var page: Page {
    var page = Page(title: "Deleted items", place: .deleted)
    page.lead = "Deleted items are kept for 30 days on this machine and can be restored until then."
    page.content = section(.class("card flush"), .label("Deleted items")) {
      if rows.isEmpty {
        empty(.done, "No deleted items", "An item that you or an app deletes appears here.")
      } else {
        div(.class("scroll")) {
          table(.class("rows"), .data(.list)) {
            caption { text(counted(rows.count, "item")) }
            thead {
              tr {
                th(.scope("col")) { "Name" }
                th(.scope("col"), .class("wide")) { "Group" }
                th(.scope("col"), .class("wide")) { "Deleted by" }
                th(.scope("col"), .class("wide")) { "Deleted" }
                th(.scope("col")) { "Action" }
              }
            }
            tbody {
              for row in rows { html(of: row) }
            }
          }
        }
      }
    }
    return page
  }

  private func html(of row: DeletedItemRow) -> HTML {
    let history =
      row.reference.map { ItemPlace(reference: $0, group: row.group).address() }
      ?? PageAddress("history").with("revision", row.revision.text)
    return tr {
      th(.scope("row")) {
        div(.class("item-name")) {
          row.kind.icon.html
          a(.class("open"), .href(history)) { given(row.title, limit: 72) }
          span(.class("second")) {
            span(.class("visually-hidden")) { "\(row.kind.name), " }
            row.subtitle.isEmpty ? text(row.kind.name) : given(row.subtitle, limit: 60)
          }
          span(.class("second narrow")) { moment(row.deleted) }
        }
      }
      td(.class("wide quiet")) { given(names.short(row.group), limit: 80) }
      td(.class("wide quiet")) { given(names.words(row.deletedBy), limit: 80) }
      td(.class("wide")) { moment(row.deleted) }
      td {
        if writableGroups.contains(row.group) {
          form(.method(.post), .action(PageAddress("history", "restore"))) {
            csrfField(csrf)
            input(.type("hidden"), .name("revision"), .value(row.revision.text))
            input(.type("hidden"), .name("version"), .value(row.version.identifier))
            if let reference = row.reference {
              input(.type("hidden"), .name("class"), .value(reference.code))
              input(.type("hidden"), .name("reference"), .value(reference.text))
            }
            button(.type("submit"), .class("small"), .label("Restore \(DisplayText(row.title, limit: 60).text)")) {
              Icon.restore.html
              "Restore"
            }
          }
        }
      }
    }
  }
}
