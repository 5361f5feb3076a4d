internal import CofferInspection
internal import CofferSystem

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
