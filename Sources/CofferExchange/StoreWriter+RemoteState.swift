internal import CofferStore

extension StoreWriter {
  /// Forgets what is known of the vault's remote, because it is another one from now on, or none. `hasSynced` is
  /// whether this machine has synced with the former remote.
  func forgetRemoteState(afterSync hasSynced: Bool) throws(StoreError) {
    if hasSynced, try setting(.awaitedRepair) == nil {
      // Only the next sync shows which of this machine's segments the other remote has.
      try setSetting(.awaitedRepair, Setting.outboxUnknown)
    }
    let state: [Setting] = [
      .remoteTip, .lastSync, .missingSegments, .differentSegments, .foldedLanes, .examinedBranches, .sightedBranches,
      .downloadedBranch, .refusedEpochSize, .measuredEpochSize,
    ]
    for setting in state { try setSetting(setting, nil) }
  }
}
