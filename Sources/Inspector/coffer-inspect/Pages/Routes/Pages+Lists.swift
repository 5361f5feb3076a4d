internal import Coffer
internal import CofferInspection
internal import CofferTrust
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// The overview and the lists of items.
extension Pages {
  func addLists(to routes: PageRoutes) {
    routes.page("/") { vault, visit in
      guard let app = visit.app else {
        return OverviewPage(
          overview: try vault.overview(), hasPassphrase: try vault.hasPassphrase,
          canAdd: try !vault.writableGroups.isEmpty
        ).page
      }
      return AppOverviewPage(overview: try vault.overview(of: app), names: visit.names).page
    }
    for path in ["items", "groups/:group"] as [RouterPath] {
      routes.router.get(path) { request, context in try await list(request, context) }
      routes.page(path.appendingPath("delete")) { vault, visit in try Self.deletion(vault, visit) }
      routes.change(path.appendingPath("delete")) { vault, visit in try Self.deleteAll(vault, visit) }
    }
    for (path, kind) in [("certificates", .certificate), ("keys", .key)] as [(RouterPath, ItemKind)] {
      routes.page(path) { vault, visit in try Self.list(vault, visit, of: kind).page }
    }
    routes.page("selection") { vault, visit in try Self.selection(vault, visit) }
    routes.form("selection") { vault, visit in try Self.changeSelection(vault, visit) }
    routes.change("undo/:token") { vault, visit in
      let list = try visit.list()
      let count = try vault.undo(visit.path["token"] ?? "")
      return (list?.address ?? PageAddress("items")).with("done", Done.undone.rawValue).with("count", String(count))
    }
  }

  /// A list, of which a script that searches asks for the rows alone.
  private func list(_ request: Request, _ context: InspectorContext) async throws -> Response {
    guard request.headers[.cofferFragment] == ItemListPage.listID else {
      return try await answer(request, context) { vault, visit in .show(try Self.list(vault, visit).page, .ok) }
    }
    let visit = try Visit(request, context)
    return try await inspector.withVault { vault in
      var list = try Self.list(vault, visit)
      list.names = try vault.names
      return .page(list.list.source)
    }
  }

  /// The list of an address. That of one kind has no filter for another one.
  static func list(
    _ vault: InspectedVault, _ visit: Visit, of kind: ItemKind? = nil
  ) throws -> ItemListPage {
    do throws(VaultError) {
      _ = try vault.groups(named: visit.path["group"])
    } catch {
      guard error.code == .notEntitled else { throw error }
      throw PageFailure(
        .forbidden, "This group is unknown, or cannot be read", error.message,
        suggestion: "choose one of the groups of the menu")
    }
    var query = try ItemListQuery(visit.query.names, visit.parameter)
    if let kind {
      guard query.kind == nil || query.kind == kind else {
        throw PageFailure.address("the filter “class” names another class than that of this list")
      }
      query.kind = kind
    }
    return try list(ListPlace(group: visit.path["group"], query: query), vault, visit)
  }

  /// A list, with the item that is shown beside it.
  static func list(
    _ place: ListPlace, _ vault: InspectedVault, _ visit: Visit, chosen: ItemReference? = nil
  ) throws -> ItemListPage {
    let items = try vault.items(place.query.request(group: place.group))
    return ItemListPage(
      place: place, items: items,
      hasDeletedItems: try items.rows.isEmpty && !vault.deletedItems(in: place.group, limit: 1).rows.isEmpty,
      writableGroups: try vault.writableGroups, canDismiss: try vault.hasRevocations,
      app: vault.vault.applicationIdentifier, names: visit.names, chosen: chosen)
  }

  // MARK: Deleting a list

  /// The page that asks before a list is deleted.
  private static func deletion(_ vault: InspectedVault, _ visit: Visit) throws -> Page {
    let list = try list(vault, visit)
    let selection = try vault.selection(list.place.query.request(group: list.place.group))
    guard selection.count > 0 else {
      throw PageFailure(
        .notFound, "Nothing to delete", "the list has no item that you can write",
        suggestion: "go back and change the search")
    }
    return DeletePage(place: list.place, selection: selection, names: visit.names, csrf: visit.csrf).page
  }

  private static func deleteAll(_ vault: InspectedVault, _ visit: Visit) throws -> PageAddress {
    guard let seen = visit.form["seen"], visit.form["sure"] == "1" else { throw malformed }
    let list = try list(vault, visit)
    let deletion = try vault.deleteAll(list.place.query.request(group: list.place.group), seen: seen)
    return list.place.address.after(deletion)
  }

  // MARK: Selected items

  /// The page that asks before the selected items are deleted or moved.
  private static func selection(_ vault: InspectedVault, _ visit: Visit, failure: String? = nil) throws -> Page {
    let fields = visit.form.all(ItemTable.field) + visit.query.all(ItemTable.field)
    let items = try chosen(fields)
    guard let place = try visit.list(),
      let action = (visit.form["action"] ?? visit.parameter("action")).flatMap({ SelectionPage.Action(rawValue: $0) }),
      !items.isEmpty
    else { throw malformed }
    var rows = try items.map { try vault.details(of: $0.reference, in: $0.group).row }
    let selected = try vault.selection(items)
    var form =
      [("action", action.rawValue), ("seen", selected.selection.digest)] + fields.map { (ItemTable.field, $0) }
    var address = place.carried(by: action == .export ? PageAddress("selection", "export") : PageAddress("selection"))
    if action == .dismiss {
      guard visit.app == nil else { throw ownerOnly }
      let addresses = selected.revisions.map(\.address)
      let listed = try vault.itemsToReplace().items.filter { addresses.contains($0.address) }
      rows = zip(rows, addresses).filter { row in listed.contains { $0.address == row.1 } }.map(\.0)
      // The form of the page of what to replace, with some of its boxes checked.
      (form, address) = (listed.map { (ItemTable.field, $0.key) }, PageAddress("replace"))
    }
    return SelectionPage(
      action: action, rows: rows,
      address: address, fields: form,
      path: [Page.Step(name: place.title(visit.names), address: place.address)], menu: place.menu,
      groups: try vault.writableGroups, notice: .failure("Nothing was changed.", failure),
      hasPassphrase: try action == .dismiss && vault.hasPassphrase, names: visit.names, csrf: visit.csrf
    ).page
  }

  /// Deletes or moves the selected items, all or none.
  private static func changeSelection(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    guard let place = try visit.list(), let seen = visit.form["seen"] else { throw malformed }
    let chosen = try vault.selection(try chosen(visit.form.all(ItemTable.field)))
    guard chosen.selection.digest == seen else { throw otherItem }
    do throws(VaultError) {
      guard visit.form["action"] == SelectionPage.Action.move.rawValue else {
        return .done(place.address.after(try vault.delete(chosen.revisions)))
      }
      try vault.move(chosen.revisions, to: visit.form["to"] ?? "")
      let group = PageAddress("groups", visit.form["to"] ?? "")
      return .done(
        group.with("done", Done.moved.rawValue).with("count", String(chosen.revisions.count)))
    } catch {
      guard error.code != .itemChanged, let status = status(of: error) else { throw error }
      return .show(try selection(vault, visit, failure: FailurePage.words(error)), status)
    }
  }

  /// The items that boxes of a list name.
  static func chosen(
    _ fields: [String]
  ) throws(PageFailure) -> [(reference: ItemReference, group: String)] {
    try fields.map { field throws(PageFailure) in
      let parts = field.split(separator: "/", maxSplits: 2).map(String.init)
      guard parts.count == 3, let reference = ItemReference(code: parts[0], text: parts[1]) else { throw malformed }
      return (reference, parts[2])
    }
  }
}

extension PageAddress {
  /// The page that offers to undo a deletion.
  func after(_ deletion: ItemDeletion) -> PageAddress {
    with("done", Done.deleted.rawValue).with("count", String(deletion.count)).with("undo", deletion.token)
  }
}
