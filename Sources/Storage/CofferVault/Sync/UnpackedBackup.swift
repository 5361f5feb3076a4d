package import CofferPlatform

/// What `coffer-sync backup unpack` has found in a backup: the JSON that it prints. The file is whole, and has exactly the files
/// that its statement names. Who has signed the statement, and whether the vault is valid, only a key of the vault tells.
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
