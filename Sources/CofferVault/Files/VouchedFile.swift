internal import CofferPlatform
internal import CofferSystem

/// A file that its owner vouches for: only root, or the owner of a package manager's folder, could have put it there.
///
/// The file, each folder above it, and the folder in which a link to it is, belong to such an owner, and nobody else
/// can write to them. A folder of root with the sticky bit, such as `/tmp`, is passed: what is in it can only be
/// replaced by its owner.
package struct VouchedFile: Hashable, Sendable {
  /// Where the file is, without symbolic links.
  package let path: String
  /// The owner of the file.
  package let owner: UInt32

  /// Why nobody vouches for a file.
  package struct Refusal: Error, Hashable, Sendable {
    /// One clause: "/opt belongs to user 1000".
    package let reason: String
  }

  /// Finds a file; nil if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The absolute path, whose last part can be a symbolic link.
  ///   - owners: Who may own the file and the folders above it, apart from root.
  /// - Returns: The file.
  /// - Throws: ``Refusal`` if somebody else can write to it.
  package static func find(_ path: String, owners: Set<UInt32> = []) throws(Refusal) -> VouchedFile? {
    guard let folder = resolved(path.parentFolder), let target = resolved(path) else { return nil }
    let owners = owners.union([0])
    // The link itself can only be replaced by who can write to its folder.
    try check(folder, owners, isLast: true)
    let owner = try check(target, owners, isLast: false)
    return VouchedFile(path: target, owner: owner)
  }

  /// The owner's name, or "user 1000".
  package var ownerName: String {
    guard let entry = unsafe getpwuid(owner), let name = unsafe String(validatingCString: entry.pointee.pw_name) else {
      return "user \(owner)"
    }
    return name.sanitizedForTerminal(foldsWhiteSpace: true)
  }

  /// Checks a file or a folder, and all folders above it. Returns its owner. `isLast` is true for the folder in which
  /// the file's name is: with the sticky bit, others could create the name.
  @discardableResult
  private static func check(
    _ path: String, _ owners: Set<UInt32>, isLast: Bool, holding device: dev_t? = nil
  ) throws(Refusal) -> UInt32 {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw Refusal(reason: "\(path) cannot be examined") }
    guard owners.contains(status.st_uid) else {
      throw Refusal(reason: "\(path) belongs to user \(status.st_uid), who is not the administrator")
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    // What is mounted in such a folder can state any owner: with FUSE, everybody can mount there.
    let isSticky =
      isFolder && status.st_mode & S_ISVTX != 0 && status.st_uid == 0 && !isLast && device == status.st_dev
    guard status.st_mode & 0o022 == 0 || isSticky else {
      throw Refusal(reason: "others than its owner can write to \(path)")
    }
    if path != "/" { try check(path.parentFolder, owners, isLast: !isFolder, holding: status.st_dev) }
    return status.st_uid
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved)
  }
}
