#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// What a killed process leaves in a repository: lock files, which would block every later write to the same
/// reference, and temporary files. Whoever removes it must hold the repository's lock.
struct Litter {
  let folder: String

  /// How many objects are outside of packs, and how many packs there are.
  struct Count {
    var looseObjects = 0
    var packs = 0
  }

  func remove() throws(GitError) {
    try removeFiles(in: "") { name in
      name != RepositoryLock.fileName && (name.hasSuffix(".lock") || name.contains("_git2_"))
    }
    try removeLocks(below: "refs", depth: 0)
    try removeFiles(in: "objects", where: Self.isTemporary)
    try removeFiles(in: "objects/pack") { name in
      // Finished packs are pack-<hash>; those in the making are pack_<random>.
      name.hasPrefix("pack_") || name.hasSuffix(".lock") || Self.isTemporary(name)
    }
    for name in try names(in: "objects") where name.utf8.count == 2 {
      try removeFiles(in: "objects/" + name, where: Self.isTemporary)
    }
  }

  func count() throws(GitError) -> Count {
    var count = Count()
    for name in try names(in: "objects") where name.utf8.count == 2 {
      count.looseObjects += try names(in: "objects/" + name).count
    }
    count.packs = try names(in: "objects/pack").count { $0.hasSuffix(".pack") }
    return count
  }

  private static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix("tmp_") || name.contains("_git2_")
  }

  private func removeLocks(below part: String, depth: Int) throws(GitError) {
    try removeFiles(in: part) { $0.hasSuffix(".lock") }
    guard depth < 8 else { return }
    for name in try names(in: part) {
      let path = "\(folder)/\(part)/\(name)"
      let isFolder: Bool
      do {
        // Of the entry itself: a symbolic link is not followed out of the repository.
        let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        isFolder = type == .typeDirectory
      } catch {
        throw GitError(.io, "cannot look at it: \(error)", context: path)
      }
      if isFolder { try removeLocks(below: "\(part)/\(name)", depth: depth + 1) }
    }
  }

  private func removeFiles(in part: String, where isLitter: (String) -> Bool) throws(GitError) {
    for name in try names(in: part) where isLitter(name) {
      let path = "\(folder)/\(part)/\(name)"
      do {
        try FileManager.default.removeItem(atPath: path)
      } catch {
        throw GitError(.permissionDenied, "cannot remove what a killed process left: \(error)", context: path)
      }
    }
  }

  /// Empty where the folder is missing.
  private func names(in part: String) throws(GitError) -> [String] {
    let path = folder + "/" + part
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw GitError(.io, "cannot list the folder: \(error)", context: path)
    }
  }
}

extension Repository {
  /// How much has gathered. Past about 2,000 loose objects or 50 packs, deleting the cache and fetching anew is
  /// cheaper than going on.
  package struct Statistics: Sendable, Hashable {
    package let looseObjectCount: Int
    package let packCount: Int
  }

  /// Counts the files of the repository.
  package func statistics() throws(GitError) -> Statistics {
    let count = try Litter(folder: path).count()
    return Statistics(looseObjectCount: count.looseObjects, packCount: count.packs)
  }
}
