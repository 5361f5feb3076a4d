internal import CofferPlatform
internal import CofferSystem

/// A program as it was when root installed it: another file in its place is another program.
package struct ProgramFile: Codable, Hashable, Sendable {
  package let path: String
  let device: UInt64
  let inode: UInt64
  let groupID: UInt32
  /// How many bytes it has, and when it was written, in nanoseconds: a program that root writes over the installed one, such
  /// as `cp` does, stays the same file. Nil in records of earlier versions.
  let byteCount: Int64?
  let modified: Int64?

  /// Takes the file that is open; nil if it cannot be examined.
  package init?(path: String, descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.path = path
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    groupID = status.st_gid
    byteCount = Int64(status.st_size)
    modified = Self.modified(status)
  }

  private static func modified(_ status: stat) -> Int64 {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Read and executed by everybody, changed by root, with the group of the file.
  package static let mode: UInt32 = 0o2755

  /// Returns how a file differs from the installed program, as a clause; nil if it is the program. The file is that at the
  /// program's path if `place` is nil; `/proc/self/exe` is the running program.
  package func difference(at place: String? = nil) -> String? {
    var status = stat()
    guard unsafe stat(place ?? path, &status) == 0 else {
      return "it cannot be examined: \(unsafe String(cString: strerror(errno)))"
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return "it is not a regular file" }
    if let weakness = ProtectedPath.weakness(of: status) { return "it \(weakness)" }
    guard status.st_gid == groupID else { return "it has another group (gid \(status.st_gid))" }
    let mode = UInt32(status.st_mode & 0o7777)
    guard mode == Self.mode else { return "it has another mode (\(String(mode, radix: 8)))" }
    guard UInt64(truncatingIfNeeded: status.st_ino) == inode, UInt64(truncatingIfNeeded: status.st_dev) == device else {
      return "it is another file"
    }
    guard byteCount.map({ $0 == Int64(status.st_size) }) ?? true, modified.map({ $0 == Self.modified(status) }) ?? true
    else { return "another program was written into its file" }
    return nil
  }
}
