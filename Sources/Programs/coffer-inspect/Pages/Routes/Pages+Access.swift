internal import Coffer
internal import CofferInspection
internal import CofferVault
internal import Hummingbird

/// Apps, machines, the membership log, and who reads what.
extension Pages {
  func addAccess(to router: RouterGroup<InspectorContext>) {
    router.get("apps") { request, context in
      try await show(request, context) { vault, _ in AppListPage(apps: try vault.access(withActivity: false).apps).page
      }
    }
    router.get("apps/:app") { request, context in
      try await show(request, context) { vault, visit in
        let access = try vault.access()
        guard let app = access.app(visit.path["app"] ?? "") else {
          throw VaultError(
            .itemNotFound, "no such app is registered", recoverySuggestion: "choose one from the list of apps")
        }
        return AppPage(app: app, groups: access.graph.groups, names: visit.names).page
      }
    }
    router.get("machines") { request, context in
      try await show(request, context) { vault, visit in
        MachineListPage(machines: try vault.access().machines, names: visit.names).page
      }
    }
    router.get("log") { request, context in
      try await show(request, context) { vault, visit in
        let before = try visit.parameter("before").map { text in
          guard let number = UInt64(text) else { throw PageFailure.address("the address names no entry of the log") }
          return number
        }
        return LogTimelinePage(log: try vault.logPage(before: before), isContinued: before != nil).page
      }
    }
    router.get("access") { request, context in
      try await show(request, context) { vault, visit in
        let graph = try vault.access(withActivity: false).graph
        let drawing = AccessDrawing(of: graph, as: .graph, hasLinks: true, embedsStyle: false).svg
        return AccessPage(graph: graph, group: visit.parameter("group"), drawing: drawing).page
      }
    }
    router.get("access/why") { request, context in
      try await show(request, context) { vault, visit in
        guard let app = visit.parameter("app"), let group = visit.parameter("group") else {
          throw PageFailure(
            .badRequest, "This did not work", "the address names no app or no group",
            suggestion: "choose both on the page of an app")
        }
        let access = try vault.access(withActivity: false)
        return ExplanationPage(
          explanation: access.explanation(ofApp: app, group: group), graph: access.graph, names: visit.names
        ).page
      }
    }
  }
}
