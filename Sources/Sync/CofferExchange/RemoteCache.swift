internal import CofferGit
internal import CofferPlatform
internal import CofferVault
internal import Logging

/// The bare repository that caches a remote's objects. It can be deleted at any time.
enum RemoteCache {
  private static let maximumLooseObjectCount = 2_000
  private static let maximumPackCount = 50

  /// Opens the cache. A cache that is damaged, or has so many files that it is slow, is replaced by an empty one.
  static func open(_ folder: VaultFolder, programs: TransportPrograms) throws -> Repository {
    if let repository = try openUsable(folder, programs) { return repository }
    return try reset(folder, programs: programs)
  }

  /// Opens the cache and passes it to `body`, and a new one if `body` finds that it is damaged.
  static func withRepository<Result>(
    _ folder: VaultFolder, programs: TransportPrograms, link: (any RemoteLink)? = nil, logger: Logger? = nil,
    _ body: (Repository) throws -> Result
  ) throws -> Result {
    do {
      return try body(link?.cache(replacingDamaged: false) ?? open(folder, programs: programs))
    } catch let error as GitError where error.code == .corrupt {
      logger?.notice("the cache is damaged and is fetched anew")
      return try body(link?.cache(replacingDamaged: true) ?? reset(folder, programs: programs))
    }
  }

  /// Opens the existing cache. Returns nil if it has to be replaced.
  private static func openUsable(_ folder: VaultFolder, _ programs: TransportPrograms) throws(GitError) -> Repository? {
    do throws(GitError) {
      let repository = try open(folder, programs)
      let statistics = repository.statistics
      let isLean = statistics.looseObjectCount <= maximumLooseObjectCount && statistics.packCount <= maximumPackCount
      return isLean ? repository : nil
    } catch {
      if error.code == .corrupt { return nil }
      throw error
    }
  }

  /// Deletes the cache and creates an empty one.
  static func reset(_ folder: VaultFolder, programs: TransportPrograms) throws -> Repository {
    if FileManager.default.fileExists(atPath: folder.cachePath) {
      try FileManager.default.removeItem(atPath: folder.cachePath)
    }
    return try open(folder, programs)
  }

  private static func open(_ folder: VaultFolder, _ programs: TransportPrograms) throws(GitError) -> Repository {
    try Repository.open(at: folder.cachePath, creatingIfNeeded: true, programs: programs)
  }
}
