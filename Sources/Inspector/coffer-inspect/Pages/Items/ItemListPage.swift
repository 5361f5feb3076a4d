internal import CofferInspection
internal import CofferSystem
internal import CofferVault

/// A list of items: of a group, or of all groups.
struct ItemListPage {
  /// The group's full name; nil for all groups.
  let group: String?
  let query: ItemListQuery
  let items: ItemPage
  /// Whether items were deleted that can still be restored. Only known of an empty list.
  var hasDeletedItems = false
  /// The full names of the groups that can be written.
  let writableGroups: [String]
  /// The full identifier of the app whose rights the pages have; nil for the owner.
  let app: String?
  var names: TeamNames

  /// The id of the element that a search replaces.
  static let listID = "items"

  var address: PageAddress { group.map { PageAddress("groups", $0) } ?? PageAddress("items") }

  var page: Page {
    var page = Page(
      title: group.map { names.short($0) } ?? "All items", place: group.map { .group($0) } ?? .items)
    if let group {
      page.path = [Page.Step(name: "Overview", address: PageAddress())]
      page.lead = "Access group \(code { given(group) })"
    } else {
      page.lead = "The items of every group that you can read."
    }
    page.actions = actions
    page.content = joined {
      search
      p(.id("count-live"), .class("visually-hidden"), .role("status")) { HTML() }
      list
    }
    return page
  }

  @HTMLBuilder private var actions: HTML {
    if group.map({ writableGroups.contains($0) }) ?? !writableGroups.isEmpty {
      ItemCreationPage.link(in: group, kind: query.kind)
    }
    if let group, app == nil {
      linkButton("Who reads this group", .access, to: PageAddress("access").with("group", group))
    }
  }

  private var search: HTML {
    form(.class("filters"), .role("search"), .action(address), .method(.get), .data(.search, Self.listID)) {
      div(.class("field search-field")) {
        label(.for("search")) { "Search" }
        div(.class("search")) {
          Icon.search.html
          input(
            .id("search"), .type("search"), .name("q"), .value(query.text), .controls(Self.listID),
            .autocomplete("off"), .noSpellCheck, .noCapitals,
            // After a search in the menu, the arrow keys lead to what it has found.
            .autofocus(!query.text.isEmpty))
        }
      }
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
          empty(.search, "No item matches", "Search for fewer words, or show all classes.")
        } else if hasDeletedItems {
          empty(
            .items, "No items",
            "Deleted ones are kept for 30 days: \(a(.href(PageAddress("deleted"))) { "Deleted items" })")
        } else {
          empty(.items, "No items yet", firstStep)
        }
      } else {
        bar
        ItemTable(rows: items.rows, showsGroup: group == nil, names: names).html
        pageLinks(items, query, address)
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
    let first = (items.page - 1) * ItemListPage.pageSize + 1
    return span(.id("count")) {
      if items.pageCount > 1 {
        "\(first.grouped)–\((first + items.rows.count - 1).grouped) of \(counted(items.total, "item"))"
      } else {
        text(counted(items.total, "item"))
      }
    }
  }

  /// The number of items of a page: that of ``ItemRequest``.
  private static let pageSize = ItemRequest().pageSize

  /// The number of items and, behind a menu, what can be done with all of them.
  private var bar: HTML {
    div(.class("list-bar")) {
      range
      details(.class("more")) {
        summary { "More" }
        a(.href(query.address(of: address.appending("export")))) { "Export this list" }
        a(.href(query.address(of: address.appending("delete")))) {
          items.total == 1 ? "Delete the item of this list" : "Delete all \(counted(items.total, "item")) of this list"
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

  /// The parameters of a list's address: the filters, and what the page that leads here has done.
  private static let names: Set<String> = ["q", "class", "show", "sort", "page", "done", "count", "undo", "revision"]

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
