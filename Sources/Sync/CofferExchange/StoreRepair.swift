internal import CofferFormat
internal import CofferStore
internal import CofferVault
internal import Logging

/// Repairs of the store before and during a sync.
enum StoreRepair {
  /// Opens a vault for a sync. If another program has changed its store, the store is checked completely and repaired
  /// first. A change of derived columns is noticed at once, by the summary; one of the contents of a record, a segment
  /// or an envelope within 64 syncs or, in a store with more than 32,000 versions, within one sync for each 512.
  ///
  /// `position` is where the comparison of contents goes on, and then where the next sync goes on. Also returns what
  /// was repaired, a line each. Throws `integrity` if the store is damaged so far that it has to be built anew.
  static func openRepairing(
    _ folder: VaultFolder, checkingFrom position: inout ContentPosition, logger: Logger
  ) throws(VaultError) -> (vault: LocalVault, repairs: [String]) {
    var comparison = SummaryComparison.different([])
    do throws(VaultError) {
      let local = try LocalVault.open(folder)
      comparison = try local.compareSummary()
      if comparison == .equal, try local.isSliceSound(&position) { return (local, []) }
    } catch {
      guard error.code == .integrity else { throw error }
    }
    logger.notice("the store is checked", metadata: ["reason": "\(comparison)"])
    // Which segments are missing is not known, if all of a stream are.
    let report = try VaultCheck.open(folder).repair(awaitsSegments: comparison.concernsSegments)
    var repairs = report.summary()
    if repairs.isEmpty, case .different(let tables) = comparison {
      repairs.append(
        "another program changed the store at \(report.path) (\(tables.joined(separator: ", "))); nothing that is signed differs"
      )
    }
    return (try LocalVault.open(folder), repairs)
  }

  /// Checks and repairs the store after a sync has imported what it lacked. Returns what was repaired, a line each.
  /// `isRejoining` is true for a store that was built anew, whose outbox is determined only now.
  static func repairAfterImport(_ folder: VaultFolder, isRejoining: Bool) throws(VaultError) -> [String] {
    try VaultCheck.open(folder).repair(isSyncing: true).summary(omitting: isRejoining ? ["outbox"] : [])
  }
}

extension SummaryComparison {
  /// Whether segments may be missing.
  fileprivate var concernsSegments: Bool {
    switch self {
    case .equal: false
    case .absent: true
    case .different(let tables):
      tables.isEmpty || !Set(["segment", "stream", "object"]).isDisjoint(with: tables)
    }
  }
}
