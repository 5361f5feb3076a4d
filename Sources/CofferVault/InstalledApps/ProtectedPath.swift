internal import CofferPlatform
internal import CofferSystem

/// A path whose file only root can change or make: it, and each folder that leads to it, belongs to root, and nobody else
/// can write there.
package enum ProtectedPath {
  /// Returns why somebody else than root can change what an absolute path leads to, as a clause; nil if nobody can. Symbolic
  /// links are followed, and checked as well.
  package static func weakness(of path: String) -> String? {
    if let weakness = literalWeakness(of: path) { return weakness }
    guard let target = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(target) }
    return literalWeakness(of: unsafe String(cString: target))
  }

  private static func literalWeakness(of path: String) -> String? {
    var place = "/"
    for part in [""] + path.split(separator: "/").map(String.init) {
      if !part.isEmpty { place += place == "/" ? part : "/\(part)" }
      var status = stat()
      guard unsafe lstat(place, &status) == 0 else {
        // Nobody else can make what is missing in a folder of root.
        return errno == ENOENT ? nil : "\(place) cannot be examined: \(unsafe String(cString: strerror(errno)))"
      }
      if let weakness = weakness(of: status) { return "\(place) \(weakness)" }
    }
    return nil
  }

  static func weakness(of status: stat) -> String? {
    guard status.st_uid == 0 else { return "belongs to another user than root (uid \(status.st_uid))" }
    // The mode of a symbolic link means nothing.
    guard status.st_mode & S_IFMT == S_IFLNK || status.st_mode & 0o022 == 0 else {
      return "can be written by others than root (mode \(String(status.st_mode & 0o7777, radix: 8)))"
    }
    return nil
  }
}
