internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// A list of items, of a group or of all groups, and beside it the item that was chosen of it.
struct ItemListPage {
  let place: ListPlace
  let items: ItemPage
  /// Whether items were deleted that can still be restored. Only known of an empty list.
  var hasDeletedItems = false
  /// The full names of the groups that can be written.
  let writableGroups: [String]
  /// Whether items can be dismissed from the list of what to replace.
  let canDismiss: Bool
  /// The full identifier of the app whose rights the pages have; nil for the owner.
  let app: String?
  var names: TeamNames
  /// The item that is shown beside the list.
  var chosen: ItemReference?

  /// The id of the element that a search replaces.
  static let listID = "items"

  var group: String? { place.group }
  var query: ItemListQuery { place.query }
  private var title: String { place.title(names) }

  var page: Page {
    var page = Page(title: title, place: place.menu)
    page.hasHeading = false
    page.list = place
    page.content = beside(
      div(.class("card detail-empty")) {
        empty(.items, "No item is chosen", "Choose one, or go through the list with \(kbd { "j" }) and \(kbd { "k" }).")
      })
    return page
  }

  /// The list with an item beside it, or what is there while none is chosen.
  func beside(_ detail: HTML) -> HTML {
    div(.class(chosen == nil ? "split" : "split has-item")) {
      section(.class("list-pane"), .label("List")) {
        head
        search
        p(.id("count-live"), .class("visually-hidden"), .role("status")) { HTML() }
        list
      }
      div(.id("detail"), .tabindex(-1)) { detail }
    }
  }

  private var canWrite: Bool { group.map { writableGroups.contains($0) } ?? !writableGroups.isEmpty }

  private var head: HTML {
    header(.class("list-head"), .id("list-head")) {
      div {
        if chosen == nil {
          h1 { given(title, limit: 120) }
        } else {
          h2 { a(.href(place.address)) { given(title, limit: 120) } }
        }
        if let group { p(.class("hint")) { given(names.short(group)) } }
      }
      div(.class("actions")) {
        if let group, app == nil {
          a(
            .class("button icon-button"), .href(PageAddress("access").with("group", group)),
            .label("Who reads this group"), .title("Who reads this group")
          ) { Icon.access.html }
        }
        if canWrite { ItemCreationPage.link(in: group, kind: query.kind) }
      }
    }
  }

  private var search: HTML {
    form(.class("find"), .role("search"), .action(place.whole), .method(.get), .data(.search, Self.listID)) {
      label(.class("visually-hidden"), .for("search")) { "Search" }
      searchField(query.text, "Search \(DisplayText(title, limit: 40).text)", in: Self.listID)
      CofferInspectProgram.details(.class("filter")) {
        summary(.class("button"), .label("Filter"), .title("Filter and sort")) {
          Icon.filter.html
          if query.kind != nil || query.shown != .all { span(.class("dot")) { HTML() } }
        }
        div(.class("card stack")) {
          choice(
            Term.itemClass.html, "class", id: "filter-class",
            [("", "All classes")] + ItemKind.allCases.map { ($0.rawValue, $0.pluralName) },
            selected: query.kind?.rawValue ?? "")
          choice(
            "Show", "show", id: "filter-show", ItemListQuery.Shown.allCases.map { ($0.rawValue, $0.name) },
            selected: query.shown.rawValue)
          choice("Sort by", "sort", id: "filter-sort", Self.orders, selected: query.order)
          submit("Apply", style: "submit")
        }
      }
    }
  }

  private static let orders: [(value: String, name: String)] = [
    ("name", "Name, A to Z"), ("-name", "Name, Z to A"), ("account", "Account, A to Z"),
    ("-account", "Account, Z to A"), ("created", "Created, oldest first"), ("-created", "Created, newest first"),
    ("-modified", "Modified, newest first"), ("modified", "Modified, oldest first"),
  ]

  /// The list alone, which a search asks for.
  var list: HTML {
    section(.class("card flush"), .id(Self.listID), .label("Items")) {
      if items.rows.isEmpty {
        p(.id("count"), .class("visually-hidden")) { "No items" }
        if query.isFiltering {
          empty(
            .search, "No item matches", "Search for fewer words, or show all classes.",
            action: linkButton("Show all items", to: place.whole))
        } else if hasDeletedItems {
          empty(
            .items, "No items", "Deleted ones are kept for 30 days.",
            action: linkButton("Deleted items", to: PageAddress("deleted")))
        } else {
          empty(.items, "No items yet", firstStep, action: canWrite ? ItemCreationPage.link(in: group) : nil)
        }
      } else {
        form(.method(.get), .action(PageAddress("selection")), .class("selection")) {
          for field in place.carried(by: PageAddress()).parameters { hiddenField(field.name, field.value) }
          bar
          ItemTable(rows: items.rows, place: place, chosen: chosen, names: names).html
        }
        pageLinks(items.page, of: items.pageCount) { page in
          var query = query
          query.page = page
          return query.address(of: place.whole)
        }
      }
      if !items.damaged.isEmpty { damaged }
    }
  }

  /// How an item comes into an empty list.
  private var firstStep: HTML {
    guard let writable = writableGroups.first(where: { group == nil || $0 == group }) else {
      return group == nil && app == nil
        ? "Register an app, which brings its groups, with: \(code { "coffer app add FILE" })"
        : "Apps that may write it store them."
    }
    let command = NextCommand.line(
      "set", placeholders: "SERVICE", "ACCOUNT", app: app.map(names.short), group: names.short(writable))
    return "Apps write them, or you: \(code { text(command) })"
  }

  private var range: HTML {
    let first = (items.page - 1) * ItemListPage.pageSize
    return span(.id("count")) {
      shownRange(first..<first + items.rows.count, of: items.total, isAll: items.pageCount == 1)
    }
  }

  /// The number of items of a page: that of ``ItemRequest``.
  private static let pageSize = ItemRequest().pageSize

  /// The number of items, and what can be done with those that are selected or, behind a menu, with all of them.
  private var bar: HTML {
    div(.class("list-bar")) {
      range
      if canWrite {
        span(.class("actions selected")) {
          if canDismiss {
            button(
              .type("submit"), .class("small"), .name("action"), .value("dismiss"), .title("They need no new value")
            ) { "Dismiss" }
          }
          button(.type("submit"), .class("small"), .name("action"), .value("move")) { "Move" }
          button(.type("submit"), .class("small"), .name("action"), .value("export")) { "Export" }
          button(.type("submit"), .class("small danger"), .name("action"), .value("delete")) { "Delete" }
        }
        details(.class("more")) {
          summary { "More" }
          a(.href(query.address(of: place.whole.appending("export")))) { "Export this list" }
          a(.href(query.address(of: place.whole.appending("delete")))) {
            items.total == 1
              ? "Delete the item of this list" : "Delete all \(counted(items.total, "item")) of this list"
          }
        }
      }
    }
  }

  private var damaged: HTML {
    Notice(
      kind: .warning, title: text(counted(items.damaged.count, "damaged item is", "damaged items are") + " not shown"),
      detail: joined {
        ul {
          for error in items.damaged.prefix(5) { li { text(error.message) } }
        }
        p { "Run \(code { "coffer check" }) to see what is damaged and what repairs it." }
      }
    ).html
  }
}

/// What a list of items shows: the part of its address after the question mark.
struct ItemListQuery: Sendable {
  /// A filter beside the kind.
  enum Shown: String, CaseIterable, Sendable {
    case all = ""
    case conflicts
    case expiring

    var name: String {
      switch self {
      case .all: "All"
      case .conflicts: "With a conflict"
      case .expiring: "Expiring or expired"
      }
    }
  }

  var text = ""
  var kind: ItemKind?
  var shown = Shown.all
  var sort = ItemSort.name
  var isDescending = false
  var page = 1

  init() {}

  /// The largest search text in bytes. Every word of it is searched for.
  static let maximumTextByteCount = 1_024

  /// The parameters that filter and sort.
  static let filters: Set<String> = ["q", "class", "show", "sort", "page"]
  /// The parameters of a list's address: the filters, and what the page that leads here has done.
  private static let names = filters.union(["done", "count", "undo", "revision"])

  /// Reads the query of an address, by its decoded parameters.
  ///
  /// A filter that cannot be read must not become none: the list would have other items than the person means, who may
  /// be about to delete all of them. So it throws for a parameter which is unknown, given twice, or has an unknown
  /// value.
  init(_ names: [String], _ parameter: (String) -> String?) throws(PageFailure) {
    var seen: Set<String> = []
    for name in names {
      guard Self.names.contains(name) else {
        throw .address("no list has the filter “\(DisplayText(name, limit: 40).text)”")
      }
      guard seen.insert(name).inserted else { throw .address("the address has the filter “\(name)” twice") }
    }
    func value<Value>(_ name: String, _ read: (String) -> Value?) throws(PageFailure) -> Value? {
      guard let text = parameter(name), !text.isEmpty else { return nil }
      guard let value = read(text) else { throw .address("the filter “\(name)” has a value that no list has") }
      return value
    }
    text = parameter("q") ?? ""
    guard text.utf8.count <= Self.maximumTextByteCount else {
      throw .address("the search text has more than \(Self.maximumTextByteCount.grouped) bytes")
    }
    kind = try value("class") { ItemKind(rawValue: $0) }
    shown = try value("show") { Shown(rawValue: $0) } ?? .all
    page = try value("page") { text in Int(text).flatMap { $0 > 0 ? $0 : nil } } ?? 1
    let order = try value("sort") { text in
      ItemSort(rawValue: text.hasPrefix("-") ? String(text.dropFirst()) : text).map { ($0, text.hasPrefix("-")) }
    }
    (sort, isDescending) = order ?? (.name, false)
  }

  /// The address of a list with this query.
  func address(of list: PageAddress) -> PageAddress {
    list.with("q", text).with("class", kind?.rawValue).with("show", shown.rawValue)
      .with("sort", sort == .name && !isDescending ? nil : order).with("page", page > 1 ? String(page) : nil)
  }

  /// The order as the address has it.
  var order: String { (isDescending ? "-" : "") + sort.rawValue }

  /// The request to the vault.
  func request(group: String?) -> ItemRequest {
    ItemRequest(
      group: group, kind: kind, text: text, isConflictOnly: shown == .conflicts, isExpiringOnly: shown == .expiring,
      sort: sort, isDescending: isDescending, page: page)
  }

  /// Whether the query leaves items out.
  var isFiltering: Bool { !text.isEmpty || kind != nil || shown != .all }
}
