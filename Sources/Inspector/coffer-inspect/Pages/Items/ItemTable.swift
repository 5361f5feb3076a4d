internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// Items as the rows of a table, one line each. A row opens its item, and its box selects it.
struct ItemTable {
  let rows: [ItemRow]
  let place: ListPlace
  /// The item that is shown beside the list.
  let chosen: ItemReference?
  let names: TeamNames

  /// The name of the boxes.
  static let field = "item"

  var html: HTML {
    table(.class("rows items"), .data(.list)) {
      caption(.class("visually-hidden")) { "Items" }
      thead {
        tr {
          heading("Name", .name)
          if place.group == nil { th(.scope("col"), .class("roomy")) { Term.group.html } }
          heading(Term.modified.html, .modified)
        }
      }
      tbody { for row in rows { html(of: row) } }
    }
  }

  /// A heading that sorts, or turns the order round. Names begin with A, and dates with the newest.
  private func heading(_ title: HTML, _ sort: ItemSort) -> HTML {
    var query = place.query
    let isCurrent = query.sort == sort
    query.isDescending = isCurrent ? !query.isDescending : sort == .modified
    (query.sort, query.page) = (sort, 1)
    return th(
      .scope("col"), .class(sort == .modified ? "when" : nil),
      .sorted(isCurrent ? place.query.isDescending ? "descending" : "ascending" : nil)
    ) {
      a(.href(ListPlace(group: place.group, query: query).address)) { title }
    }
  }

  private func html(of row: ItemRow) -> HTML {
    let isChosen = row.reference == chosen
    return tr(.class(isChosen ? "chosen" : nil)) {
      th(.scope("row")) {
        div(.class("line")) {
          label(.class("pick")) {
            input(
              .type("checkbox"), .name(Self.field), .value("\(row.reference.path)/\(row.group)"),
              .label("Select \(DisplayText(row.name, limit: 60).text)"))
            tile(row.name, row.kind)
          }
          a(.class("open"), .href(place.carried(byItem: PageAddress(of: row.reference))), .current(isChosen)) {
            given(row.name, limit: 100)
          }
          span(.class("caption")) {
            subtitle(row.caption, of: row.kind, limit: 100)
            if !row.writer.device.isEmpty, row.writer.device != names.machine {
              " · from \(given(row.writer.device, limit: 40))"
            }
          }
          if row.hasConflict { tag("Conflict", "warning", icon: .conflict) }
          if let expires = row.expires, Validity(until: expires).state(at: Date()) != .valid {
            validityTag(Validity(until: expires), at: Date())
          }
        }
      }
      if place.group == nil {
        td(.class("roomy quiet"), .title(DisplayText(names.short(row.group)).text)) {
          given(names.display(row.group), limit: 80)
        }
      }
      td(.class("when quiet")) { ago(row.modified) }
    }
  }
}

/// A list of items and what it shows. Pages that a list leads to carry it in their addresses, and lead back to it.
struct ListPlace: Sendable {
  /// The group's full name; nil for all groups.
  let group: String?
  let query: ItemListQuery

  /// The value of the parameter for the list of all groups. No group has this name: each begins with a team.
  private static let all = "all"
  /// The value for the list of an item's own group. The name of the group is not in the address, which the page of a
  /// locked vault repeats.
  private static let own = "group"

  init(group: String?, query: ItemListQuery) {
    self.group = group
    self.query = query
  }

  /// Reads the list that an address carries, for the page of an item with its group; nil for none. Throws for a filter
  /// that no list has.
  init?(_ query: InspectorForm, ofItemIn own: String? = nil) throws(PageFailure) {
    guard let list = query["list"], !list.isEmpty else { return nil }
    group = list == Self.all ? nil : list == Self.own ? own : list
    self.query = try ItemListQuery(query.names.filter(ItemListQuery.filters.contains)) { query[$0] }
  }

  /// What the list is called: its group, or the class of items of all groups.
  func title(_ names: TeamNames) -> String { group.map(names.display) ?? query.kind?.pluralName ?? "All items" }

  /// Where the menu leads to the list.
  var menu: Page.Place {
    if let group { return .group(group) }
    return query.kind == .certificate ? .certificates : query.kind == .key ? .keys : .items
  }

  /// The page of all items of the list's group.
  var whole: PageAddress { group.map { PageAddress("groups", $0) } ?? PageAddress("items") }

  /// The list.
  var address: PageAddress { query.address(of: whole) }

  /// The address of a page that leads back here.
  func carried(by page: PageAddress) -> PageAddress { query.address(of: page.with("list", group ?? Self.all)) }

  /// The address of a page about one of its items that leads back here.
  func carried(byItem page: PageAddress) -> PageAddress {
    query.address(of: page.with("list", group == nil ? Self.all : Self.own))
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
