internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem
internal import CofferVault
internal import Hummingbird

/// Apps, machines, the membership log, and who reads what.
extension Pages {
  func addAccess(to routes: PageRoutes) {
    routes.get("apps") { vault, visit in
      // An app's list of apps is the app.
      if let app = visit.app { return .done(PageAddress("apps", app)) }
      let access = try vault.access(withActivity: false)
      return .show(AppListPage(apps: access.apps, removed: access.removedApps, names: visit.names).page, .ok)
    }
    routes.page("apps/:app") { vault, visit in
      if let own = visit.app, visit.path["app"] != own { throw Self.ownerOnly }
      let access = try vault.access()
      guard let app = access.app(visit.path["app"] ?? "") else {
        throw Self.removal(ofApp: visit.path["app"] ?? "", access, visit) ?? InspectedVault.unknownApp
      }
      let groups = access.graph.groups.filter { group in
        visit.app == nil || app.rights.contains { $0.group == group.id }
      }
      return AppPage(app: app, groups: groups, isOwner: visit.app == nil, names: visit.names).page
    }
    routes.page("machines", ownerOnly: true) { vault, visit in
      let access = try vault.access()
      return MachineListPage(machines: access.machines, removed: access.removedMachines, names: visit.names).page
    }
    routes.page("machines/:machine", ownerOnly: true) { vault, visit in
      guard let machine = try vault.access().machine(visit.path["machine"] ?? "") else {
        throw InspectedVault.unknownMachine
      }
      return MachinePage(
        machine: machine, hasPassphrase: machine.isThisMachine ? try vault.hasPassphrase : nil, names: visit.names
      ).page
    }
    routes.page("log", ownerOnly: true) { vault, visit in
      let before = try visit.parameter("before").map { text in
        guard let number = UInt64(text) else { throw PageFailure.address("the address names no entry of the log") }
        return number
      }
      return LogTimelinePage(log: try vault.logPage(before: before), isContinued: before != nil).page
    }
    routes.page("access", ownerOnly: true) { vault, visit in
      let graph = try vault.access(withActivity: false).graph
      let drawing = AccessDrawing(of: graph, as: .graph, hasLinks: true, embedsStyle: false).svg
      return AccessPage(graph: graph, group: visit.parameter("group"), drawing: drawing).page
    }
    routes.page("access/why") { vault, visit in
      guard let app = visit.parameter("app"), let group = visit.parameter("group") else {
        throw PageFailure(
          .badRequest, "This did not work", "the address names no app or no group",
          suggestion: "choose both on the page of an app")
      }
      return try Self.explanation(vault, visit, app: app, group: group).page
    }
  }

  /// The failure for an app that was removed from the vault; nil for any other. An app sees nothing of it.
  private static func removal(ofApp id: String, _ access: AccessFacts, _ visit: Visit) -> (any Error)? {
    guard visit.app == nil, let app = access.removedApps.first(where: { $0.id == id }) else { return nil }
    let revocation = app.revocation
    return PageFailure(
      .notFound, "This app was removed from the vault",
      "the app \(app.bundleID) was removed on \(revocation.time.localText) by \(revocation.signer) (entry \(revocation.entry) of the log)",
      suggestion: "its items remain; register it again as an admin: coffer app add FILE.entitlements")
  }

  private static func explanation(
    _ vault: InspectedVault, _ visit: Visit, app: String, group: String
  ) throws -> ExplanationPage {
    let graph = try vault.access(withActivity: false).graph
    var groups = graph.groups
    if let own = visit.app {
      let readable = Set(try vault.groups())
      // Whether another app or group exists is the owner's.
      guard app == own, readable.contains(group) else { throw ownerOnly }
      groups.removeAll { !readable.contains($0.id) }
    }
    guard let itemClass = visit.parameter("class"), let reference = visit.parameter("reference") else {
      return ExplanationPage(
        explanation: try vault.explanation(ofApp: app, group: group), item: nil, apps: graph.apps, groups: groups,
        app: visit.app,
        names: visit.names)
    }
    guard let item = ItemReference(code: itemClass, text: reference) else { throw HTTPError(.notFound) }
    let row = try vault.details(of: item, in: group).row
    return ExplanationPage(
      explanation: try vault.explanation(ofApp: app, group: group, item: item.persistent), item: row, apps: graph.apps,
      groups: groups, app: visit.app, names: visit.names)
  }
}
