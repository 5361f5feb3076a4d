package import CofferFormat
internal import CofferStore
package import CofferTrust

/// Which entries of the membership log the remote has, and which a credential has seen.
extension LocalVault {
  /// Returns the fork of the log, or nil if it has not forked.
  package func fork() throws(VaultError) -> LogFork? {
    try translatingErrors { try store.read { try branches(in: $0).fork } }
  }

  /// Returns the error of the fork if the log has forked, otherwise `error`: what is missing in the log may be on one of
  /// its branches.
  package func explaining(_ error: VaultError) throws(VaultError) -> VaultError { try fork()?.error ?? error }

  /// Whether the remote is known to hold the log entry at `position`. A change of membership takes effect only then.
  package func isPublished(_ position: LogPosition) throws(VaultError) -> Bool {
    try translatingErrors {
      try store.read { reader in
        guard let stored = try reader.logEntry(position.sequence), stored.isPublished else {
          return false
        }
        return try LogEntry(bytes: stored.entry).position == position
      }
    }
  }

  /// Discards the entries of the log that were never published. Waits for a sync that is running: it may be pushing
  /// these very entries, and signing another one in the place of an entry that arrives would fork the log. Throws
  /// `busy` if that sync does not end within `timeout`; nothing has changed then.
  package func discardUnpublishedLog(timeout: Duration = .seconds(120)) throws(VaultError) {
    let lock = try FileLock.acquire(path: folder.syncLockPath, timeout: timeout, purpose: "sync")
    defer { extendLifetime(lock) }
    try translatingErrors {
      try store.write { writer in
        try writer.withdrawUnpublishedLog()
        try writer.setSetting(.despiteClaims, nil)
      }
    }
  }

  /// Whether the log contains the entry that a credential has seen last.
  package func contains(_ seen: LogPosition) throws(VaultError) -> Bool {
    guard seen.sequence > 0 else { return true }
    let hash = try translatingErrors {
      try store.read { reader in
        try reader.logEntry(seen.sequence).map { try LogEntry(bytes: $0.entry).hash }
      }
    }
    return hash == seen.hash
  }

  /// Whether the log contains an entry with a head phrase.
  package func contains(_ phrase: Phrase) throws(VaultError) -> Bool {
    try translatingErrors {
      try store.read { reader in
        try reader.logEntries(after: 0).contains { Phrase(try LogEntry(bytes: $0.entry).hash.raw) == phrase }
      }
    }
  }

  /// Throws `integrity` unless the log contains the entry that a credential has seen last.
  package func checkNotRolledBack(to seen: LogPosition) throws(VaultError) {
    guard try contains(seen) else {
      throw VaultError(
        .integrity, "entry \(seen.sequence) of the membership log at \(folder.path) is not the one this app has seen",
        recoverySuggestion: "another copy was put in its place; sync, or restore the right folder")
    }
  }
}
