internal import CofferVault

/// What a sync has done.
public struct SyncResult: Hashable, Sendable {
  /// The remote's URL or path, without a password.
  public let remote: String
  /// The number of item versions that arrived from other machines.
  public let receivedCount: Int
  /// The number of item versions of this machine that were sent.
  public let sentCount: Int
  /// The number of items of the vault that were changed on two machines at once, and have both versions. `Vault.conflicts`
  /// lists those of the app.
  public let conflictCount: Int
  /// The number of item versions that do not count, or not yet, because the log does not let their author write them.
  public let unadmittedCount: Int
  /// How often the sync began again because another machine had pushed in the meantime.
  public let retryCount: Int
  /// The number of bytes that were received, with those of git's protocol.
  public let receivedByteCount: Int
  /// The number of bytes that were sent, with those of git's protocol.
  public let sentByteCount: Int
  /// How long the sync took, with the wait for another one of the same vault.
  public let duration: Duration
  /// What is wrong with the remote and with this machine's store. Empty if nothing is. The rest of the sync was done.
  public let problems: [Problem]

  init(_ report: SyncReport) {
    remote = report.remote
    receivedCount = report.recordsReceived
    sentCount = report.recordsSent
    conflictCount = report.conflictCount
    unadmittedCount = report.pendingRecords + report.refusedRecords
    retryCount = report.retryCount
    receivedByteCount = report.bytesReceived
    sentByteCount = report.bytesSent
    duration = report.duration
    problems = report.problems.map(Problem.init)
  }
}
