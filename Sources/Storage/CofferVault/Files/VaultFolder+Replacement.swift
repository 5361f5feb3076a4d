internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem

extension VaultFolder {
  package func credentialFiles() throws(VaultError) -> [SecretFile] {
    try credentialNames().map(credentialFile(named:))
  }

  /// Returns the application identifiers of all apps that have a credential file, in ascending order.
  package func credentialNames() throws(VaultError) -> [String] {
    guard !isAbsent(appsPath) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: appsPath).sorted()
        .filter { !isAbsent("\(appsPath)/\($0)/credential") }
    } catch {
      throw VaultError(.io, "cannot read the folder \(appsPath)", recoverySuggestion: "try again")
    }
  }

  /// Moves the store of another folder into this one, durably. A store that is there is kept under another name, with
  /// its write-ahead log, so that SQLite does not replay that into the new one. Nobody may have the new store open.
  /// Returns the path of the old store, nil if there was none.
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
