internal import CofferCrypto
internal import CofferSystem
internal import Foundation

extension VaultFolder {
  /// The credential files of all apps.
  package var credentialFiles: [SecretFile] { credentialNames.map(credentialFile(named:)) }

  /// The application identifiers of all apps that have a credential file, in ascending order.
  package var credentialNames: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: appsPath)) ?? []).sorted()
      .filter { FileManager.default.fileExists(atPath: "\(appsPath)/\($0)/credential") }
  }

  /// Moves the store of another folder into this one, durably. A store that is there is kept under another name, with
  /// its write-ahead log, so that SQLite does not replay that into the new one.
  ///
  /// - Parameter other: The folder with the new store, which nobody has open.
  /// - Returns: The path of the old store; nil if there was none.
  /// - Throws: ``VaultError``: `io` and other failures of the file system.
  package func replaceStore(by other: VaultFolder) throws(VaultError) -> String? {
    let kept = "\(storePath).damaged-\(hexadecimal(Random.bytes(count: 6)))"
    let hasStore = !isAbsent(storePath)
    // A second name first, so that the folder has a store at every moment.
    if hasStore, unsafe link(storePath, kept) != 0, unsafe rename(storePath, kept) != 0 {
      throw systemFailure("move \(storePath) aside")
    }
    FaultPoint.reached(.storeFileSetAside)
    for suffix in ["-journal", "-shm", "-wal"] where !isAbsent(storePath + suffix) {
      guard unsafe rename(storePath + suffix, kept + suffix) == 0 else {
        throw systemFailure("move \(storePath + suffix) aside")
      }
      FaultPoint.reached(.storeFileSetAside)
    }
    guard unsafe rename(other.storePath, storePath) == 0 else { throw systemFailure("move the new store into place") }
    FaultPoint.reached(.storeReplaced)
    try SecretFile.syncFolder(path)
    return hasStore ? kept : nil
  }
}
