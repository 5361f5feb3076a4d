internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// Items as the rows of a table, each of which opens its item.
struct ItemTable {
  let rows: [ItemRow]
  let showsGroup: Bool
  let names: TeamNames

  var html: HTML {
    var columns: [(title: HTML, style: String?)] = [("Name", nil)]
    if hasDetails { columns.append(("Details", "wide")) }
    if showsGroup { columns.append((Term.group.html, "wide")) }
    columns += [(Term.writtenBy.html, "wide"), (Term.modified.html, "wide")]
    return rowTable("Items", isTitleHidden: true, columns) {
      for row in rows { html(of: row) }
    }
  }

  /// Whether any item has details: passwords of apps have none.
  private var hasDetails: Bool { rows.contains { $0.expires != nil || $0.detail != nil } }

  private func html(of row: ItemRow) -> HTML {
    tr {
      nameCell(
        row.kind.icon, dotted(row.title, limit: 100), opens: PageAddress(of: row.reference),
        mark: row.hasConflict ? tag("Conflict", "warning", icon: .conflict) : nil
      ) {
        span(.class("second")) {
          subtitle(row.subtitle, of: row.kind, limit: 100)
          if let label = row.label, label != row.title, label != row.subtitle { " · \(given(label, limit: 60))" }
        }
        span(.class("second narrow")) { "\(given(names.short(row.group), limit: 60)) · \(moment(row.modified))" }
      }
      if hasDetails {
        td(.class("wide")) {
          if let expires = row.expires { validityTag(Validity(until: expires), at: Date()) }
          if let detail = row.detail { span(.class("quiet")) { given(detail, limit: 80) } }
        }
      }
      if showsGroup {
        td(.class("wide quiet"), .title(DisplayText(row.group).text)) { given(names.short(row.group), limit: 80) }
      }
      td(.class("wide quiet"), .title(DisplayText(names.words(row.writer)).text)) {
        given(names.words(row.writer), limit: 80)
      }
      td(.class("wide")) { moment(row.modified) }
    }
  }
}

extension ItemKind {
  /// The drawing beside an item of this kind.
  var icon: Icon {
    switch self {
    case .genericPassword: .password
    case .internetPassword: .internet
    case .certificate: .certificate
    case .key: .key
    case .identity: .identity
    }
  }
}

extension PageAddress {
  /// The page of an item.
  init(of reference: ItemReference) { self.init("items", reference.code, reference.text) }
}

/// The links to the other pages of a list; nil if it has one page.
func pageLinks(_ list: ItemPage, _ query: ItemListQuery, _ address: PageAddress) -> HTML? {
  guard list.pageCount > 1 else { return nil }
  func step(_ name: HTML, to page: Int, isOn: Bool) -> HTML? {
    guard isOn else { return nil }
    var query = query
    query.page = page
    return linkButton(name, to: query.address(of: address), style: "small")
  }
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
