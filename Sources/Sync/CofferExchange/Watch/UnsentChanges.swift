internal import CofferStore
internal import CofferVault

/// What a vault has for the remote, as far as it tells whether something was added: cheap to read after each commit.
struct UnsentChanges: Hashable, Sendable {
  /// The number of records in the outbox, and the row of the newest one.
  private let recordCount: Int
  private let lastRecord: Int64
  /// The number of log entries that are not published.
  private let entryCount: Int
  private let remote: [UInt8]?

  /// Reads the state of a vault.
  init(_ store: Store) throws(VaultError) {
    (recordCount, lastRecord, entryCount, remote) = try translatingErrors {
      try store.read { reader in
        (
          try reader.outboxCount(), try reader.lastOutboxRecord(), try reader.unpublishedLogEntryCount(),
          try reader.setting(.remoteURL)
        )
      }
    }
  }

  /// Whether a sync is worth it if the state was another one before: something is to be sent, or there is another remote.
  func callsForSync(after known: UnsentChanges?) -> Bool {
    guard let known else { return true }
    return self != known && (remote != known.remote || recordCount > 0 || entryCount > 0)
  }
}
