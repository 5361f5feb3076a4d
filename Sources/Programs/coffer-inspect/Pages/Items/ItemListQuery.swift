internal import CofferInspection

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
  var sort = ItemSort.created
  var isDescending = false
  var page = 1

  init() {}

  /// Reads a query. What it does not know is left at its default.
  ///
  /// - Parameter parameter: Returns the decoded parameter of a name.
  init(_ parameter: (String) -> String?) {
    text = parameter("q") ?? ""
    kind = parameter("class").flatMap { ItemKind(rawValue: $0) }
    shown = parameter("show").flatMap { Shown(rawValue: $0) } ?? .all
    var order = parameter("sort") ?? ""
    isDescending = order.hasPrefix("-")
    if isDescending { order.removeFirst() }
    sort = ItemSort(rawValue: order) ?? .created
    page = parameter("page").flatMap { Int($0) } ?? 1
  }

  /// The address of a list with this query.
  func address(of list: PageAddress) -> PageAddress {
    list.with("q", text).with("class", kind?.rawValue).with("show", shown.rawValue)
      .with("sort", sort == .created && !isDescending ? nil : order).with("page", page > 1 ? String(page) : nil)
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
