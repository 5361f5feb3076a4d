internal import Coffer
internal import CofferCrypto
internal import CofferInspection
internal import CofferQRCode
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// The page of an item, its history, and its value.
extension Pages {
  static let item: RouterPath = "items/:class/:reference"

  func addItems(to routes: PageRoutes) {
    routes.page(Self.item) { vault, visit in
      do {
        let (place, details) = try Self.details(vault, visit)
        let history = try vault.history(of: details.revision)
        let graph = visit.app == nil ? try vault.access(withActivity: false).graph : nil
        var page = ItemDetailPage(
          place: place, details: details, versions: history.versions,
          comparison: details.conflict.isEmpty
            ? ConflictComparison()
            : try vault.comparison(
              of: Array(details.conflict.prefix(ConflictVersions.limit)), at: details.revision),
          apps: graph?.apps,
          readers: graph?.readers(of: details.row.group, onlyHere: details.isDeviceLocal) ?? [], app: visit.app,
          names: visit.names, csrf: visit.csrf
        ).page
        if let list = place.list {
          page.contentID = "detail"
          page.content = try Self.list(list, vault, visit, chosen: place.reference).beside(page.content)
        }
        return page
      } catch let error as VaultError where error.code == .itemNotFound {
        guard let deleted = try vault.deletedItem(try Self.reference(visit), in: visit.parameter("group")) else {
          throw error
        }
        return try Self.deletedHistory(vault, deleted.revision, deleted.reference, visit).page
      }
    }
    routes.page("deleted") { vault, visit in
      let deleted = try vault.deletedItems()
      return DeletedListPage(
        rows: deleted.rows, isLimited: deleted.isLimited, writableGroups: try vault.writableGroups,
        names: visit.names, csrf: visit.csrf
      ).page
    }
    routes.page(Self.item.appendingPath("history")) { vault, visit in
      let (place, details) = try Self.details(vault, visit)
      return try Self.history(vault, place, details, visit).page
    }
    routes.page("history") { vault, visit in
      guard let seen = visit.parameter("revision").flatMap({ ItemRevision(text: $0) }) else { throw Self.malformed }
      return try Self.deletedHistory(vault, seen, nil, visit).page
    }
    routes.change("history/restore") { vault, visit in
      let version = try Self.restore(vault, visit)
      let item = ItemReference(code: visit.form["class"] ?? "", text: visit.form["reference"] ?? "")
      let page = item.map { ItemPlace(reference: $0, group: version.group).address() }
      return (page ?? PageAddress("groups", version.group)).with("done", Done.restored.rawValue)
    }
    routes.router.post(Self.item.appendingPath("value")) { request, context in
      try await value(request, context) { vault, visit in
        try Self.revision(visit, of: try Self.details(vault, visit).1)
      }
    }
    routes.router.post(Self.item.appendingPath("code")) { request, context in
      try await secret(request, context) { vault, visit in
        let code = try vault.code(of: try Self.revision(visit, of: try Self.details(vault, visit).1))
        guard visit.form["form"] == "qr" else {
          return .json(["text": code.text, "seconds": String(code.seconds), "period": String(code.seed.period)])
        }
        return .json(["rows": try Self.drawing(of: code.seed)])
      }
    }
    routes.router.get(Self.item.appendingPath("certificate.pem")) { request, context in
      let visit = try Visit(request, context)
      return try await inspector.withVault { vault in
        let file = try vault.certificateFile(of: try Self.reference(visit), in: visit.parameter("group"))
        return Response.download(file.pem, named: file.title, type: "application/x-pem-file", suffix: "pem")
      }
    }
    routes.router.post("conflicts/value") { request, context in
      try await value(request, context) { _, visit in try Self.revision(visit) }
    }
  }

  /// The place and the details of the item that an address names.
  static func details(_ vault: InspectedVault, _ visit: Visit) throws -> (ItemPlace, ItemDetails) {
    var place = ItemPlace(reference: try reference(visit), group: visit.parameter("group"))
    let details = try vault.details(of: place.reference, in: place.group)
    place.list = try visit.list(ofItemIn: details.row.group)
    return (place, details)
  }

  /// The item that an address names.
  private static func reference(_ visit: Visit) throws -> ItemReference {
    guard let reference = ItemReference(code: visit.path["class"] ?? "", text: visit.path["reference"] ?? "") else {
      throw HTTPError(.notFound)
    }
    return reference
  }

  private static func history(
    _ vault: InspectedVault, _ place: ItemPlace, _ details: ItemDetails, _ visit: Visit
  ) throws(VaultError) -> ItemHistoryPage {
    let versions = try vault.history(of: details.revision).versions
    return ItemHistoryPage(
      title: details.row.name, group: details.row.group, itemAddress: place.address(),
      restoreAddress: place.address("restore"), revision: details.isWritable ? details.revision : nil,
      entries: try entries(of: versions, vault), total: versions.count, names: visit.names, csrf: visit.csrf)
  }

  /// The history of a deleted item.
  private static func deletedHistory(
    _ vault: InspectedVault, _ seen: ItemRevision, _ reference: ItemReference?, _ visit: Visit
  ) throws(VaultError) -> ItemHistoryPage {
    let history = try vault.history(of: seen)
    let group = history.versions.first?.group ?? ""
    return ItemHistoryPage(
      title: history.title ?? "a deleted item", group: group, itemAddress: nil,
      restoreAddress: PageAddress("history", "restore"), deleted: reference,
      revision: try vault.writableGroups.contains(group) ? history.revision : nil,
      entries: try entries(of: history.versions, vault), total: history.versions.count, names: visit.names,
      csrf: visit.csrf)
  }

  private static func entries(
    of versions: [ItemVersionRow], _ vault: InspectedVault
  ) throws(VaultError) -> [ItemHistoryPage.Entry] {
    var entries: [ItemHistoryPage.Entry] = []
    for (index, version) in versions.prefix(ItemHistoryPage.limit).enumerated() {
      let older = index + 1 < versions.count ? versions[index + 1] : nil
      let difference = try older.map { older throws(VaultError) in try vault.difference(from: older, to: version) }
      entries.append(ItemHistoryPage.Entry(version: version, difference: difference))
    }
    return entries
  }

  // MARK: Values

  /// Answers with a value, or why it is not shown, to the script that a person has asked for it: no page contains one.
  /// Throws ``PageFailure`` if no script asks.
  private func value(
    _ request: Request, _ context: InspectorContext,
    _ revision: @escaping @Sendable (InspectedVault, Visit) throws -> ItemRevision
  ) async throws -> Response {
    try await secret(request, context) { [inspector] vault, visit in
      let revision = try revision(vault, visit)
      let version = try visit.form["version"].map { try Self.version($0, of: revision, in: vault) }
      return ValueMessage.response(
        with: try vault.value(
          of: revision, version: version, passphrase: visit.form.filledSecret("passphrase"),
          password: visit.form.filledSecret("password"), attempt: inspector.attempt))
    }
  }

  /// Answers with what `read` returns, as ``value(_:_:_:)``.
  private func secret(
    _ request: Request, _ context: InspectorContext,
    _ read: @escaping @Sendable (InspectedVault, Visit) throws -> Response
  ) async throws -> Response {
    guard request.headers[.accept] == "application/json" else { throw Self.malformed }
    let visit = try Visit(request, context)
    do {
      return try await inspector.withVault { vault in try read(vault, visit) }
    } catch let error as VaultError where !inspector.isLocked {
      // Not the status of a locked vault or an ended session, at which the page is left: only the value is not shown.
      return .json(["message": FailurePage.words(error)], status: .unprocessableContent)
    }
  }

  /// The QR code of a seed: a line for each row, with 1 for a dark module.
  private static func drawing(of seed: OneTimePassword) throws(VaultError) -> String {
    guard let code = try? QRCode(SecretText(copying: Array(seed.uri.utf8))) else {
      throw VaultError(
        .invalidArgument, "the address of the seed is too long for a QR code",
        recoverySuggestion: "print the address with: coffer otp uri")
    }
    return (0..<code.width).map { row in
      (0..<code.width).map { code[row: row, column: $0] ? "1" : "0" }.joined()
    }.joined(separator: "\n")
  }

  /// The version of an item that a form names.
  static func version(
    _ identifier: String, of revision: ItemRevision, in vault: InspectedVault
  ) throws(VaultError) -> ItemVersionRow {
    guard let version = try vault.history(of: revision).versions.first(where: { $0.identifier == identifier }) else {
      throw VaultError(
        .itemNotFound, "this version is no longer kept", recoverySuggestion: "reload the page to see those that are")
    }
    return version
  }
}

/// The items that machines have changed at the same time.
extension Pages {
  func addConflicts(to routes: PageRoutes) {
    routes.page("conflicts") { vault, visit in
      let conflicts = try vault.conflicts()
      let writable = Set(try vault.writableGroups)
      let entries = try conflicts.prefix(ConflictListPage.limit).map { conflict in
        ConflictListPage.Entry(
          conflict: conflict,
          comparison: try vault.comparison(
            of: Array(conflict.versions.prefix(ConflictVersions.limit)), at: conflict.revision),
          conditions: try Self.conditions(of: conflict, in: vault),
          isWritable: writable.contains(conflict.group))
      }
      return ConflictListPage(entries: Array(entries), total: conflicts.count, names: visit.names, csrf: visit.csrf)
        .page
    }
    routes.change("conflicts/restore") { vault, visit in
      _ = try Self.restore(vault, visit)
      return PageAddress("conflicts").with("done", Done.kept.rawValue)
    }
  }

  /// What the values of a conflict require; nil for an item without an address, whose current version deleted it.
  private static func conditions(
    of conflict: InspectedConflict, in vault: InspectedVault
  ) throws(VaultError) -> ValueGuard? {
    guard let reference = conflict.reference else { return nil }
    return try vault.details(of: reference, in: conflict.group).valueGuard
  }
}
