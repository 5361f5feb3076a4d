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
        rowTable(
          text(counted(list.total, "key")),
          [
            ("Key", nil), (Term.keyKind.html, nil), ("Algorithm and size", "wide"), (Term.usages.html, "wide"),
            (Term.group.html, "wide"),
          ]
        ) {
          for row in list.rows { html(of: row) }
        }
        ListPages(list: list, query: query, address: PageAddress("keys")).html
      }
    }
    return page
  }

  private func html(of row: ItemRow) -> HTML {
    tr {
      nameCell(.key, given(row.title, limit: 120), opens: PageAddress(of: row.reference)) {
        span(.class("second")) { given(row.subtitle, limit: 120) }
      }
      td { tag(text(row.key?.kind ?? "unknown"), row.key?.kind == "private" ? "accent" : "") }
      td(.class("wide quiet")) { text(row.detail ?? row.key?.algorithm ?? "") }
      td(.class("wide quiet")) { text(row.key?.usages.joined(separator: ", ") ?? "") }
      td(.class("wide quiet")) { given(names.short(row.group), limit: 80) }
    }
  }
}
