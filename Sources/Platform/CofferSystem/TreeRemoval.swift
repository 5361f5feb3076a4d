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
  let number = removal.remove(FileName(name.utf8), from: parent, depth: 0)
  guard number == 0 else { throw SystemError(number, action) }
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
