#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// The files of a bare repository.
struct RepositoryFolder {
  let path: String

  /// Removes the files that a killed process left: lock files, which would block every later write to the same
  /// reference, and temporary files. The caller must hold the repository's lock.
  func removeLeftovers() throws(GitError) {
    try removeFiles(in: "") { name in
      name != RepositoryLock.fileName && (name.hasSuffix(".lock") || name.contains("_git2_"))
    }
    try removeLocks(in: "refs", depth: 0)
    try removeFiles(in: "objects", where: Self.isTemporary)
    try removeFiles(in: "objects/pack") { name in
      // A finished pack is called pack-<hash>; an unfinished one is called pack_<random>.
      name.hasPrefix("pack_") || name.hasSuffix(".lock") || Self.isTemporary(name)
    }
    for name in try names(in: "objects") where name.utf8.count == 2 {
      try removeFiles(in: "objects/" + name, where: Self.isTemporary)
    }
  }

  private static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix("tmp_") || name.contains("_git2_")
  }

  private func removeLocks(in part: String, depth: Int) throws(GitError) {
    try removeFiles(in: part) { $0.hasSuffix(".lock") }
    guard depth < 8 else { return }
    for name in try names(in: part) {
      let entry = "\(path)/\(part)/\(name)"
      let isFolder: Bool
      do {
        // The type of the entry itself: a symbolic link is not followed out of the repository.
        let type = try FileManager.default.attributesOfItem(atPath: entry)[.type] as? FileAttributeType
        isFolder = type == .typeDirectory
      } catch {
        throw GitError(.io, "cannot read its attributes: \(error)", context: entry)
      }
      if isFolder { try removeLocks(in: "\(part)/\(name)", depth: depth + 1) }
    }
  }

  private func removeFiles(in part: String, where isLeftover: (String) -> Bool) throws(GitError) {
    for name in try names(in: part) where isLeftover(name) {
      let entry = "\(path)/\(part)/\(name)"
      do {
        try FileManager.default.removeItem(atPath: entry)
      } catch {
        throw GitError(.permissionDenied, "cannot remove a file that a killed process left: \(error)", context: entry)
      }
    }
  }

  /// Lists a folder of the repository.
  ///
  /// - Parameter part: The path of the folder in the repository.
  /// - Returns: The names in the folder; none if it is missing.
  /// - Throws: `GitError` if the folder cannot be read.
  func names(in part: String) throws(GitError) -> [String] {
    let folder = path + "/" + part
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw GitError(.io, "cannot list the folder: \(error)", context: folder)
    }
  }
}
