internal import Coffer
internal import CofferCrypto
internal import CofferInspection
internal import CofferSystem
internal import CofferTransfer
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// Files of other programs: what they have is shown and stored, and the items of a list are written to one.
extension Pages {
  func addTransfer(to routes: PageRoutes) {
    routes.page("import") { vault, visit in
      ImportPage(
        groups: try vault.writableGroups, group: visit.parameter("group"), names: visit.names, csrf: visit.csrf
      ).page
    }
    routes.form("import") { vault, visit in try Self.importFile(vault, visit) }
    for path in ["items/export", "groups/:group/export"] as [RouterPath] {
      routes.page(path) { vault, visit in
        ExportPage(list: try Self.list(vault, visit), csrf: visit.csrf).page
      }
      addExport(at: path, to: routes) { vault, visit in
        let list = try Self.list(vault, visit)
        let addresses = try vault.addresses(of: list.query.request(group: list.group))
        return try ExportedItem.all(in: vault.vault, at: addresses) { _, _ in }
      }
    }
    addExport(at: "selection/export", to: routes) { vault, visit in
      let items = try Self.chosen(visit.form.all(ItemTable.field))
      let addresses = try vault.selection(items).revisions.map(\.address)
      return try ExportedItem.all(in: vault.vault, at: addresses) { _, _ in }
    }
  }

  /// Answers with the file of some items. The page before has said what is left out.
  private func addExport(
    at path: RouterPath, to routes: PageRoutes,
    _ exported: @escaping @Sendable (InspectedVault, Visit) throws -> [ExportedItem]
  ) {
    routes.router.post(path) { request, context in
      let received = try Visit(request, context)
      return try await inspector.withVault { vault in
        guard received.form["sure"] == "1",
          let format = received.form["format"].flatMap({ ExportFormat(rawValue: $0) })
        else { throw Self.malformed }
        let items = try exported(vault, received)
        var bytes = try format.bytes(of: ExportedEntry.all(items), in: vault.vault) { _, _ in }
        return ValueMessage.download(SecretText(moving: &bytes), named: format.file.name, type: format.file.type)
      }
    }
  }

  /// Shows what a file has or, if the form says so, stores it.
  private static func importFile(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    let form = visit.form
    let groups = try vault.writableGroups
    guard let group = form["group"], groups.contains(group), let file = form.filledSecret("file"),
      let rule = form["rule"].flatMap({ ItemImporter.Rule(rawValue: $0) })
    else { throw malformed }
    var page = ImportPage(groups: groups, group: group, names: visit.names, csrf: visit.csrf)
    do {
      page.result = try FileImport(
        of: file, named: form["file-name"] ?? "", password: form.filledSecret("password"), to: group, of: vault,
        rule: rule, isDryRun: form["store"] != "1")
      return .show(page.page, .ok)
    } catch let error as VaultError where error.code == .authenticationFailed || status(of: error) != nil {
      page.failure = FailurePage.words(error)
      return .show(page.page, .unprocessableContent)
    }
  }
}
