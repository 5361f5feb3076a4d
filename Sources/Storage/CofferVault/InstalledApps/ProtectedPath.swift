internal import CofferPlatform
internal import CofferSystem

/// What an absolute path leads to, if only root, or another accepted owner, can change that: the file, each folder and
/// each symbolic link on the way belong to such an owner, and nobody else can write to them.
///
/// A folder of root with the sticky bit, such as `/tmp`, is passed: a folder in it can only be replaced by its owner.
/// What is directly in it does not count, because others can create its name before.
package struct ProtectedPath: Hashable, Sendable {
  /// The path without symbolic links.
  package let path: String
  /// The owner of the file.
  package let owner: UInt32

  /// Why somebody else can change what a path leads to.
  package struct Weakness: Error, Hashable, Sendable {
    /// One clause: "/opt belongs to another user than root (uid 1000)".
    package let reason: String
  }

  private static let maximumLinkCount = 40

  /// Follows a path, symbolic links included. Nil if nothing is there, and only an accepted owner could make it.
  ///
  /// - Parameters:
  ///   - path: The absolute path.
  ///   - owners: Who may own what is on the way, apart from root.
  /// - Returns: The file.
  /// - Throws: ``Weakness`` if somebody else can change what the path leads to.
  package static func follow(_ path: String, owners: Set<UInt32> = []) throws(Weakness) -> ProtectedPath? {
    let owners = owners.union([0])
    var folders: [Place] = [try Place.examine("/", owners)]
    var rest = parts(of: path)[...]
    var linkCount = 0
    while let part = rest.popFirst() {
      if part == "." { continue }
      if part == ".." {
        if folders.count > 1 { folders.removeLast() }
        continue
      }
      guard let folder = folders.last else { break }
      guard folder.isFolder else { return nil }
      let next = "\(folder.path == "/" ? "" : folder.path)/\(part)"
      var status = stat()
      guard unsafe lstat(next, &status) == 0 else {
        guard errno == ENOENT else {
          throw Weakness(reason: "\(next) cannot be examined: \(unsafe String(cString: strerror(errno)))")
        }
        // Nobody else can make what is missing in a folder of root.
        if folder.isSticky { throw folder.writable }
        return nil
      }
      let place = try Place(next, status, owners)
      // What is mounted in such a folder can state any owner: with FUSE, everybody can mount there.
      if folder.isSticky, !place.isFolder || place.device != folder.device { throw folder.writable }
      guard place.isLink else {
        folders.append(place)
        continue
      }
      linkCount += 1
      guard linkCount <= maximumLinkCount, let target = target(of: next) else {
        throw Weakness(reason: "\(next) is a symbolic link that leads nowhere")
      }
      if target.hasPrefix("/") { folders.removeLast(folders.count - 1) }
      rest = parts(of: target) + rest
    }
    guard let found = folders.last else { return nil }
    // Names in it could be anybody's.
    if found.isSticky { throw found.writable }
    return ProtectedPath(path: found.path, owner: found.owner)
  }

  /// Returns why somebody else than root can change what an absolute path leads to, as a clause; nil if nobody can.
  package static func weakness(of path: String) -> String? {
    do throws(Weakness) {
      _ = try follow(path)
      return nil
    } catch {
      return error.reason
    }
  }

  /// Returns why somebody else than root can change an open file, as a clause; nil if nobody can.
  static func weakness(of status: stat) -> String? { weakness(of: status, owners: [0]) }

  /// The owner's name, or "user 1000".
  package var ownerName: String {
    guard let entry = unsafe getpwuid(owner), let name = unsafe String(validatingCString: entry.pointee.pw_name) else {
      return "user \(owner)"
    }
    return name.sanitizedForTerminal(foldsWhiteSpace: true)
  }

  private static func weakness(of status: stat, owners: Set<UInt32>) -> String? {
    guard owners.contains(status.st_uid) else { return "belongs to another user than root (uid \(status.st_uid))" }
    // The mode of a symbolic link means nothing.
    guard status.st_mode & S_IFMT == S_IFLNK || status.st_mode & 0o022 == 0 else {
      return "can be written by others than root (mode \(String(status.st_mode & 0o7777, radix: 8)))"
    }
    return nil
  }

  private static func parts(of path: String) -> [String] { path.split(separator: "/").map(String.init) }

  private static func target(of link: String) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = unsafe readlink(link, start, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      unsafe buffer[count] = 0
      return unsafe String(validatingCString: start)
    }
  }

  /// A file, folder or link on the way that others cannot write to, or a sticky folder of root.
  private struct Place {
    let path: String
    let owner: UInt32
    let device: dev_t
    let isFolder: Bool
    let isLink: Bool
    let isSticky: Bool
    let mode: mode_t

    init(_ path: String, _ status: stat, _ owners: Set<UInt32>) throws(Weakness) {
      self.path = path
      owner = status.st_uid
      device = status.st_dev
      mode = status.st_mode & 0o7777
      isFolder = status.st_mode & S_IFMT == S_IFDIR
      isLink = status.st_mode & S_IFMT == S_IFLNK
      isSticky = isFolder && status.st_uid == 0 && status.st_mode & S_ISVTX != 0 && status.st_mode & 0o022 != 0
      if !isSticky, let weakness = ProtectedPath.weakness(of: status, owners: owners) {
        throw Weakness(reason: "\(path) \(weakness)")
      }
    }

    static func examine(_ path: String, _ owners: Set<UInt32>) throws(Weakness) -> Place {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { throw Weakness(reason: "\(path) cannot be examined") }
      return try Place(path, status, owners)
    }

    /// The weakness of a sticky folder, in which others can make names.
    var writable: Weakness {
      Weakness(reason: "\(path) can be written by others than root (mode \(String(mode, radix: 8)))")
    }
  }
}
