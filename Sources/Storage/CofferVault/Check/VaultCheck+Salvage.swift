internal import CofferCrypto
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem

extension VaultCheck {
  /// Compares the store of a folder and repairs it. If its file is damaged, a new one is built of what can be read of
  /// it, and the damaged one is kept. Throws as ``open(_:progress:)`` and ``repair(awaitsSegments:isSyncing:)``;
  /// `integrity` if the file is no store, or does not say any more which vault it is.
  package static func repair(
    _ folder: VaultFolder, progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws(VaultError) -> CheckReport {
    do throws(VaultError) {
      let check = try open(folder, progress: progress)
      // Without a difference, nothing is locked.
      let found = try check.run()
      return found.isEmpty ? found : try check.repair()
    } catch {
      guard error.code == .integrity, isDamaged(folder) else { throw error }
    }
    let (moved, salvage) = try buildFileAnew(in: folder)
    var report = try open(folder, progress: progress).repair()
    report.movedFile = moved
    report.incompleteTables = salvage.incompleteTables
    return report
  }

  /// Whether SQLite finds the file of the store damaged.
  private static func isDamaged(_ folder: VaultFolder) -> Bool {
    do throws(StoreError) {
      try Store.open(at: folder.storePath).checkIntegrity()
      return false
    } catch {
      return error.code == .corrupt
    }
  }

  /// Builds the file of the store anew. Returns where the damaged one is, and what could be read of it.
  private static func buildFileAnew(
    in folder: VaultFolder
  ) throws(VaultError) -> (moved: String?, salvage: StoreSalvage) {
    let lock = try FileLock.acquire(path: folder.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(lock) }
    // On the same disk, so that it can be moved.
    let staging = VaultFolder(folder.url.appending(path: "repair-\(hexadecimal(Random.bytes(count: 6)))"))
    guard unsafe mkdir(staging.path, 0o700) == 0 else {
      throw VaultError(.io, "cannot create \(staging.path)", recoverySuggestion: "free some space, then try again")
    }
    defer { try? FileManager.default.removeItem(at: staging.url) }
    var result: (moved: String?, salvage: StoreSalvage) = (nil, StoreSalvage())
    do {
      try Store.salvage(from: folder.storePath, to: staging.storePath) { salvage in
        result = (try folder.replaceStore(by: staging), salvage)
      }
    } catch let error as StoreError where error.code == .corrupt && error.path == folder.storePath {
      throw VaultError(
        .integrity, "too much of the vault's store at \(folder.storePath) is damaged: \(error.detail)",
        recoverySuggestion: folder.restoreSuggestion)
    } catch {
      throw VaultError(translating: error)
    }
    return result
  }
}
