internal import Coffer
internal import CofferGit
internal import Foundation

/// The bare repository in which a remote is looked at. It can be thrown away at any time.
enum Cache {
  private static let mostLooseObjects = 2_000
  private static let mostPacks = 50

  /// Opens the cache; one that is damaged, or has grown slow, is made anew.
  static func open(_ folder: VaultFolder) throws -> Repository {
    if let repository = try usable(folder) { return repository }
    return try reset(folder)
  }

  /// The cache as it lies there; nil where it has to be made anew.
  private static func usable(_ folder: VaultFolder) throws(GitError) -> Repository? {
    do throws(GitError) {
      let repository = try openPatiently(folder)
      let statistics = try repository.statistics()
      let isLean = statistics.looseObjectCount <= mostLooseObjects && statistics.packCount <= mostPacks
      return isLean ? repository : nil
    } catch {
      if error.code == .corrupt { return nil }
      throw error
    }
  }

  /// Opens it. Whoever calls holds the vault's sync lock, so that a repository in use is one that a child, just forked by
  /// another thread, will let go of in a moment.
  private static func openPatiently(_ folder: VaultFolder) throws(GitError) -> Repository {
    var patience = 40
    while true {
      do throws(GitError) {
        return try Repository.open(at: folder.cachePath, creatingIfNeeded: true)
      } catch {
        guard error.code == .locked, patience > 0 else { throw error }
        patience -= 1
        usleep(25_000)
      }
    }
  }

  /// Throws the cache away and begins an empty one.
  static func reset(_ folder: VaultFolder) throws -> Repository {
    if FileManager.default.fileExists(atPath: folder.cachePath) {
      try FileManager.default.removeItem(atPath: folder.cachePath)
    }
    return try openPatiently(folder)
  }
}
