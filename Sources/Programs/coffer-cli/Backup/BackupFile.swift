internal import CofferAdministration
internal import CofferFormat
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// The file of a backup that is read: `coffer-sync` unpacks it into a staging folder, from which it is downloaded as a remote
/// is.
struct BackupFile {
  let path: String

  /// Unpacks the file. Throws ``SyncFailure`` if it is damaged or no backup.
  func unpack(into staging: VaultFolder) throws -> UnpackedBackup {
    let output = try SyncProgram.run([
      "backup", "unpack", "--into", Self.repository(in: staging), "--", path,
    ])
    do {
      return try JSONDecoder().decode(UnpackedBackup.self, from: output)
    } catch {
      throw VaultError(
        .io, "coffer-sync gave no answer", recoverySuggestion: "install the version of coffer-sync that belongs to Coffer")
    }
  }

  /// Downloads what a clone verifies of an unpacked backup.
  func download(_ backup: UnpackedBackup, into staging: VaultFolder) throws {
    try SyncProgram.run(["download", "--into", staging.path, "--", backup.repository])
  }

  /// The repository of an unpacked backup.
  static func repository(in staging: VaultFolder) -> String {
    staging.url.appending(path: "backup.git").path(percentEncoded: false)
  }
}
