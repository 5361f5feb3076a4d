internal import CofferAdministration
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// The file of a backup that is read.
struct BackupFile {
  let path: String

  /// Unpacks the file into a staging folder, with what a clone verifies of it in `incoming`. Throws ``SyncFailure`` if it is
  /// damaged or no backup.
  func unpack(into staging: VaultFolder) throws -> UnpackedBackup {
    let output = try SyncProgram.run(["backup", "unpack", "--into", staging.path, "--", path])
    do {
      return try JSONDecoder().decode(UnpackedBackup.self, from: output)
    } catch {
      throw VaultError(
        .io, "coffer-sync gave no answer",
        recoverySuggestion: "install the version of coffer-sync that belongs to Coffer")
    }
  }
}
