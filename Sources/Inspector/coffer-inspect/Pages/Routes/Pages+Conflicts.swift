internal import Coffer
internal import CofferInspection
internal import CofferVault
internal import Hummingbird

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
