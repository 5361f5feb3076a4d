/// The names in a backup. FORMAT.md specifies them.
enum BackupLayout {
  /// The reference to the commit with the statement. It is below neither `refs/heads` nor `refs/tags`, so that a clone that git
  /// makes of a backup has the vault's branch only.
  static let reference = "refs/coffer/backup"
  static let statement = "statement"
  /// The file with the vault key.
  static let key = "key"
  /// The maximum size of both files.
  static let byteLimit = 4_096
}
