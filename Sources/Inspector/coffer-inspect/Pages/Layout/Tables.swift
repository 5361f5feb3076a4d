internal import CofferInspection
internal import CofferSystem

/// A table of rows, each of which is opened by the link in its first cell. The columns have a heading and the style of
/// their cells: wide ones are left out of narrow windows.
func rowTable(
  _ title: HTML, isTitleHidden: Bool = false, _ columns: [(title: HTML, style: String?)],
  @HTMLBuilder rows: () -> HTML
) -> HTML {
  div(.class("scroll")) {
    table(.class("rows"), .data(.list)) {
      caption(.class(isTitleHidden ? "visually-hidden" : nil)) { title }
      headings(columns)
      tbody { rows() }
    }
  }
}

/// The first row of a table.
func headings(_ columns: [(title: HTML, style: String?)]) -> HTML {
  thead {
    tr {
      for column in columns { th(.scope("col"), .class(column.style)) { column.title } }
    }
  }
}

/// The first cell of a row: a name with a link that opens it, a mark beside it, and quieter lines below.
func nameCell(
  _ icon: Icon, _ name: HTML, opens address: PageAddress?, mark: HTML? = nil,
  @HTMLBuilder below: () -> HTML = { HTML() }
) -> HTML {
  let link = address.map { address in a(.class("open"), .href(address)) { name } } ?? name
  return th(.scope("row")) {
    div(.class("item-name")) {
      icon.html
      mark.map { mark in div { "\(link) \(mark)" } } ?? link
      below()
    }
  }
}

/// What an item is, for the line below its name. The class is hidden if there is more to say.
func subtitle(_ subtitle: String, of kind: ItemKind, limit: Int = 60) -> HTML {
  "\(span(.class("visually-hidden")) { "\(kind.name), " })\(subtitle.isEmpty ? text(kind.name) : given(subtitle, limit: limit))"
}
