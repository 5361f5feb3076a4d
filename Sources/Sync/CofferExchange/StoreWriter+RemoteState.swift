internal import CofferStore

extension StoreWriter {
  /// Forgets what is known of the vault's remote, because it is another one from now on, or none. `hasSynced` is
  /// whether this machine has synced with the former remote.
  func forgetRemoteState(afterSync hasSynced: Bool) throws {
    if hasSynced, try setting(.awaitedRepair) == nil {
      // Only the next sync shows which of this machine's segments the other remote has.
      try setSetting(.awaitedRepair, Setting.outboxUnknown)
    }
    let state: [Setting] = [
      .remoteTip, .lastSync, .missingSegments, .differentSegments, .foldedLanes, .downloadedBranch, .refusedEpochSize,
      .measuredEpochSize,
    ]
    for setting in state { try setSetting(setting, nil) }
    var book = try BranchBook.load(from: self)
    book.remove { $0.kind == .examined || $0.kind == .sighted }
    try book.save(to: self)
  }
}
