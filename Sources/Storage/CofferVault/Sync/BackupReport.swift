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

/// What `coffer-sync backup unpack` has found in a backup: the JSON that it prints. The file is whole, and has exactly
/// the files that its statement names. Who has signed the statement, and whether the vault is valid, only a key of the
/// vault tells.
package struct UnpackedBackup: Hashable, Sendable, Codable {
  /// The repository with the vault's branch.
  package let repository: String
  package let byteCount: Int
  /// The number of files of the vault.
  package let fileCount: Int
  /// The bytes of the statement.
  package let statement: Data
  /// The bytes of the file with the vault key; nil without one.
  package let key: Data?
  /// The bytes of the vault's genesis.
  package let genesis: Data

  package init(repository: String, byteCount: Int, fileCount: Int, statement: Data, key: Data?, genesis: Data) {
    self.repository = repository
    self.byteCount = byteCount
    self.fileCount = fileCount
    self.statement = statement
    self.key = key
    self.genesis = genesis
  }
}

/// What `coffer-sync read` answers on its standard output: a line of JSON with this, then the image of a store if it
/// has succeeded.
package struct RepositoryReading: Sendable, Codable {
  /// The largest answer, with a store in it.
  package static let maximumByteCount = 1 << 30

  /// Why there is no store; nil if there is one.
  package let error: VaultError.Report?
  /// The problems of the repository, a line each, that leave the rest usable.
  package let problems: [String]

  package init(error: VaultError) {
    self.error = VaultError.Report(error)
    problems = []
  }

  package init(problems: [String]) {
    error = nil
    self.problems = problems
  }

  /// The line, with its end.
  package func line() throws -> Data { try JSONEncoder().encode(self) + Data("\n".utf8) }

  /// Reads an answer from the whole output of the program. Also returns the bytes after it; nil for another output.
  package static func parse(_ output: [UInt8]) -> (answer: RepositoryReading, image: ArraySlice<UInt8>)? {
    guard let end = output.firstIndex(of: UInt8(ascii: "\n")),
      let answer = try? JSONDecoder().decode(RepositoryReading.self, from: Data(output[..<end]))
    else { return nil }
    return (answer, output[(end + 1)...])
  }
}
