internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// Syncs that a page starts and watches.
extension Pages {
  func addSync(to routes: PageRoutes) {
    routes.page("sync", ownerOnly: true) { vault, visit in
      SyncPage(
        status: try VaultStatus.read(from: vault.local), epochs: try EpochHistory.read(from: vault.local),
        progress: inspector.syncRun.progress, csrf: visit.csrf
      ).page
    }
    routes.router.get("sync/progress") { _, _ in
      try requireOwner()
      return Response.json(SyncState(inspector.syncRun.progress))
    }
    routes.router.post("sync/start") { request, _ in
      try requireOwner()
      try inspector.syncRun.start()
      return answer(to: request)
    }
    routes.router.post("sync/cancel") { request, _ in
      try requireOwner()
      inspector.syncRun.cancel()
      return answer(to: request)
    }
  }

  /// The page of syncs or, for its script, how far the sync is.
  private func answer(to request: Request) -> Response {
    guard request.headers[.accept] == "application/json" else { return Response.redirect(to: PageAddress("sync")) }
    return .json(SyncState(inspector.syncRun.progress))
  }
}
