internal import CPlatform
internal import CofferPlatform

/// Deletes a file, or a folder with everything in it. Does nothing if it does not exist.
///
/// Every folder is entered by its descriptor, and no symbolic link is followed below the folder that has the name. If
/// another program exchanges a folder for a link meanwhile, the link is deleted and nothing behind it.
package func removeTree(_ path: String) throws(SystemError) {
  let separator = path.hasSuffix("/") ? path.dropLast() : path[...]
  let name = separator.split(separator: "/").last.map(String.init) ?? ""
  let action = "cannot delete \(path)"
  guard !name.isEmpty, name != ".", name != ".." else { throw SystemError(EINVAL, action) }
  let parent = unsafe open(String(separator).parentFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard parent >= 0 else {
    if errno == ENOENT || errno == ENOTDIR { return }
    throw SystemError(errno, action)
  }
  defer { close(parent) }
  var removal = TreeRemoval()
  try SystemError.check(removal.remove(FileName(name.utf8), from: parent, depth: 0), action)
}

/// The name of a file, of any bytes.
private struct FileName {
  /// The bytes, with the zero at the end.
  let characters: [CChar]

  init(_ bytes: some Sequence<UInt8>) { characters = bytes.map { CChar(bitPattern: $0) } + [0] }

  /// Whether this is the folder itself, or the one above it.
  var isReference: Bool { characters == [0x2e, 0] || characters == [0x2e, 0x2e, 0] }
}

private struct TreeRemoval {
  /// The number of folders that are open at once. A deeper one is moved to the top of the tree first.
  private static let depthLimit = 64
  /// The folder at the top of the tree, if it is open.
  private var top: Int32?
  /// How many folders were moved there.
  private var movedCount = 0

  /// Deletes a name from an open folder. Returns 0 or an error number: that of the first name in a folder that could
  /// not be deleted, after all others were.
  mutating func remove(_ name: FileName, from parent: Int32, depth: Int) -> Int32 {
    if unsafe unlinkat(parent, name.characters, 0) == 0 || errno == ENOENT { return 0 }
    let number = errno
    // Linux says EISDIR for a folder, and POSIX EPERM.
    guard number == EISDIR || number == EPERM else { return number }
    if depth > Self.depthLimit { return moveToTop(name, from: parent) }
    let folder = unsafe openat(parent, name.characters, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return errno == ENOENT ? 0 : errno == ENOTDIR || errno == ELOOP ? number : errno }
    defer { close(folder) }
    if depth == 0 { top = folder }
    var failure: Int32 = 0
    var formerCount: Int
    repeat {
      formerCount = movedCount
      for inner in Self.names(in: folder) {
        let outcome = remove(inner, from: folder, depth: depth + 1)
        if failure == 0 { failure = outcome }
      }
      // Some of what was moved here was not on the list yet.
    } while depth == 0 && movedCount > formerCount
    if unsafe unlinkat(parent, name.characters, Int32(AT_REMOVEDIR)) == 0 || errno == ENOENT { return 0 }
    return failure == 0 ? errno : failure
  }

  /// Moves a folder to the top of the tree, under a name that nothing has there. Returns 0 or an error number.
  private mutating func moveToTop(_ name: FileName, from parent: Int32) -> Int32 {
    if unsafe unlinkat(parent, name.characters, Int32(AT_REMOVEDIR)) == 0 { return 0 }
    guard let top else { return EINVAL }
    // Whoever makes such names meanwhile does not hold this up.
    for _ in 0..<1_000 {
      movedCount += 1
      let new = FileName(".coffer-moved-\(movedCount)".utf8)
      if unsafe renameat(parent, name.characters, top, new.characters) == 0 { return 0 }
      guard [EEXIST, ENOTEMPTY, ENOTDIR].contains(errno) else { return errno }
    }
    return EEXIST
  }

  /// Returns the names in an open folder.
  private static func names(in folder: Int32) -> [FileName] {
    // A descriptor of its own, which begins with the first name.
    let copy = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return [] }
    guard let stream = unsafe fdopendir(copy) else {
      close(copy)
      return []
    }
    defer { unsafe closedir(stream) }
    var found: [FileName] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe FileName(bytes.prefix { $0 != 0 })
      }
      if !name.isReference { found.append(name) }
    }
    return found
  }
}

/// Exchanges the names of two files or folders on one file system, in one step: at every moment, each name has one of
/// the two. Throws an error with the number `EINVAL` or `ENOTSUP` if the file system cannot do that.
package func exchangeNames(_ first: String, _ second: String) throws(SystemError) {
  try unsafe SystemError.check(coffer_exchange_names(first, second), "cannot exchange \(first) and \(second)")
}

extension String {
  /// The path of the folder that contains the file at this path: `.` for a name alone.
  ///
  /// Not `NSString.deletingLastPathComponent`, which on Linux ends the process for a name of one character.
  package var parentFolder: String {
    func withoutSlashes(_ path: Substring) -> Substring {
      let end = path.lastIndex { $0 != "/" }
      return end.map { path[...$0] } ?? path.prefix(1)
    }
    let path = withoutSlashes(self[...])
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(withoutSlashes(path[...slash]))
  }
}

/// A file that has no name until its content is complete, so that nothing of it is left if this process is ended
/// before.
package struct UnnamedFile: ~Copyable {
  /// Where the content is written.
  package let descriptor: Int32
  private let temporary: String
  private let isNamed: Bool

  deinit {
    // After an error, it may still have its temporary name.
    if isNamed { unsafe _ = unlink(temporary) }
    _ = close(descriptor)
  }

  /// Creates a file with mode 0600 in the folder of a temporary name. On a file system without files that have no name,
  /// it has the temporary one from the beginning.
  package static func create(temporary: String) throws(SystemError) -> UnnamedFile {
    let unnamed = unsafe coffer_create_unnamed_file(temporary.parentFolder)
    if unnamed >= 0 { return UnnamedFile(descriptor: unnamed, temporary: temporary, isNamed: false) }
    let named = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard named >= 0 else { throw SystemError(errno, "cannot create \(temporary)") }
    return UnnamedFile(descriptor: named, temporary: temporary, isNamed: true)
  }

  /// Gives the file its name, in one step and in place of the file that has it.
  package func replace(_ path: String) throws(SystemError) {
    try unsafe SystemError.check(
      coffer_replace_file(path, temporary, isNamed ? -1 : descriptor), "cannot write \(path)")
  }
}

/// A file that exists in memory only, until the programs that have inherited it have ended. Nobody can change it, and
/// only its user can read it. On Linux only.
package struct MemoryFile: Sendable {
  /// Stays open until this process ends.
  private let descriptor: Int32

  /// Creates a file with these bytes.
  package static func create(_ bytes: [UInt8]) throws(SystemError) -> MemoryFile {
    MemoryFile(
      descriptor: try unsafe SystemError.opened(
        coffer_create_memory_file("coffer", bytes, bytes.count, 1), "cannot create a file in memory"))
  }

  /// Returns the path by which other programs of the user open the file as well, as long as the process has not closed
  /// it.
  package func path(inProcess process: Int32) -> String { "/proc/\(process)/fd/\(descriptor)" }

  /// The path with room for the number of a process that does not exist yet.
  package var unnamedPath: String { "\(Self.unnamedPathPrefix)\(descriptor)" }

  /// What such paths begin with.
  static let unnamedPathPrefix = "/proc/0000000000/fd/"
}

/// Memory of this process that the kernel itself does not map: neither a core dump nor a debugger of root reads it
/// (memfd_secret, Linux 5.14). While it exists, the system cannot hibernate, which would write it to the disk.
package final class SecretMemory: Sendable {
  /// The number of bytes.
  package let count: Int
  private let address: UInt

  /// Maps zeroed memory. Nil if the system has none, or not enough.
  package init?(count: Int) {
    guard let memory = unsafe coffer_map_secret_memory(count) else { return nil }
    self.count = count
    address = UInt(bitPattern: memory)
  }

  // The kernel zeroes the pages before anybody gets them again.
  deinit { unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

  /// Calls `body` with the bytes. Only its creator writes them, before others have it.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: count))
  }
}

/// Which file a path leads to: another one after the file was deleted and made again.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// Examines the file at a path, or the symbolic link there. Nil with `errno` if there is none.
  package init?(of path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Examines an open file, pipe or terminal. Nil with `errno` if the system refuses.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
