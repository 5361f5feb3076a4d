internal import CofferInspection
internal import CofferSystem

/// All keys with kind, size and use.
struct KeyListPage {
  let list: ItemPage
  let query: ItemListQuery
  /// Whether there is a group that can be written.
  let canAdd: Bool
  let names: TeamNames

  var page: Page {
    var page = Page(title: "Keys", place: .keys)
    page.lead = "The cryptographic keys of all groups that you can read."
    if canAdd { page.actions = ItemCreationPage.link(in: nil, kind: .key) }
    page.content = section(.class("card flush"), .label("Keys")) {
      if list.rows.isEmpty {
        empty(
          .key, "No keys yet", "Apps add them with \(code { "SecKeyCreateRandomKey" }) or \(code { "SecItemAdd" }).")
      } else {
        div(.class("scroll")) {
          table(.class("rows"), .data(.list)) {
            caption { text(counted(list.total, "key")) }
            thead {
              tr {
                th(.scope("col")) { "Key" }
                th(.scope("col")) { Term.keyKind.html }
                th(.scope("col"), .class("wide")) { "Algorithm and size" }
                th(.scope("col"), .class("wide")) { Term.usages.html }
                th(.scope("col"), .class("wide")) { Term.group.html }
              }
            }
            tbody {
              for row in list.rows { html(of: row) }
            }
          }
        }
        ListPages(list: list, query: query, address: PageAddress("keys")).html
      }
    }
    return page
  }

  private func html(of row: ItemRow) -> HTML {
    tr {
      th(.scope("row")) {
        div(.class("item-name")) {
          Icon.key.html
          a(.class("open"), .href(PageAddress(of: row.reference))) { given(row.title, limit: 120) }
          span(.class("second")) { given(row.subtitle, limit: 120) }
        }
      }
      td { tag(text(row.key?.kind ?? "unknown"), row.key?.kind == "private" ? "accent" : "") }
      td(.class("wide quiet")) { text(row.detail ?? row.key?.algorithm ?? "") }
      td(.class("wide quiet")) { text(row.key?.usages.joined(separator: ", ") ?? "") }
      td(.class("wide quiet")) { given(names.short(row.group), limit: 80) }
    }
  }
}
