package import CofferPlatform

/// What `coffer-sync backup create` has written: the JSON that it prints.
package struct BackupReport: Hashable, Sendable, Codable {
  /// The file.
  package let path: String
  package let byteCount: Int
  /// By the clock of this machine, in seconds since 1970.
  package let time: Date
  /// The number of files of the vault in it.
  package let fileCount: Int
  package let membershipEntries: Int
  /// The number of items in it.
  package let itemCount: Int
  /// The number of items that never leave this machine, and are not in it.
  package let localItemCount: Int
  /// Whether the vault key is in it, under a passphrase.
  package let hasVaultKey: Bool
  /// What it lacks because this machine has it damaged, a line each.
  package let missing: [String]
  /// Whether this machine still awaits changes of others from the remote.
  package let awaitsSegments: Bool
  /// Further notes about it, a line each.
  package let notes: [String]

  package init(
    path: String, byteCount: Int, time: Date, fileCount: Int, membershipEntries: Int, itemCount: Int,
    localItemCount: Int, hasVaultKey: Bool, missing: [String], awaitsSegments: Bool, notes: [String]
  ) {
    self.path = path
    self.byteCount = byteCount
    self.time = time
    self.fileCount = fileCount
    self.membershipEntries = membershipEntries
    self.itemCount = itemCount
    self.localItemCount = localItemCount
    self.hasVaultKey = hasVaultKey
    self.missing = missing
    self.awaitsSegments = awaitsSegments
    self.notes = notes
  }

  /// The report with further notes.
  package func adding(_ notes: [String]) -> BackupReport {
    BackupReport(
      path: path, byteCount: byteCount, time: time, fileCount: fileCount, membershipEntries: membershipEntries,
      itemCount: itemCount, localItemCount: localItemCount, hasVaultKey: hasVaultKey, missing: missing,
      awaitsSegments: awaitsSegments, notes: self.notes + notes)
  }
}
