internal import CofferPlatform
internal import CofferSystem

/// The files of a bare repository.
struct RepositoryFolder {
  let path: String

  /// Removes the files that a killed process left: lock files, which would block every later write to the same
  /// reference, and temporary files. The caller must hold the repository's lock. Returns the number of files that
  /// remain: they are counted here because a cache has hundreds of folders.
  func removeLeftovers() throws(GitError) -> Repository.Statistics {
    try removeFiles(in: "") { name in
      name != RepositoryLock.fileName && (name.hasSuffix(".lock") || Self.isOfLibGit2(name))
    }
    try removeLocks(in: "refs", depth: 0)
    let packs = try removeFiles(in: "objects/pack") { name in
      // A finished pack is called pack-<hash>; an unfinished one is called pack_<random>.
      name.hasPrefix("pack_") || name.hasSuffix(".lock") || Self.isTemporary(name)
    }
    var looseObjectCount = 0
    for name in try removeFiles(in: "objects", where: Self.isTemporary) where name.utf8.count == 2 {
      looseObjectCount += try removeFiles(in: "objects/" + name, where: Self.isTemporary).count
    }
    return Repository.Statistics(
      looseObjectCount: looseObjectCount, packCount: packs.count { $0.hasSuffix(".pack") })
  }

  private static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix("tmp_") || isOfLibGit2(name)
  }

  /// Whether libgit2 gave a file this temporary name. The names of objects, of which there may be thousands, have no
  /// underscore, and a search for text takes longer than one for a byte.
  static func isOfLibGit2(_ name: String) -> Bool {
    name.utf8.contains(UInt8(ascii: "_")) && name.contains("_git2_")
  }

  private func removeLocks(in part: String, depth: Int) throws(GitError) {
    try removeFiles(in: part) { $0.hasSuffix(".lock") }
    guard depth < 8 else { return }
    for name in try names(in: part) {
      let entry = "\(path)/\(part)/\(name)"
      // The entry itself: a symbolic link is not followed out of the repository.
      var status = stat()
      guard unsafe lstat(entry, &status) == 0 else {
        throw .system(errno, "cannot read its attributes", context: entry)
      }
      if status.st_mode & S_IFMT == S_IFDIR { try removeLocks(in: "\(part)/\(name)", depth: depth + 1) }
    }
  }

  /// Removes files of a folder, and returns the names of the others.
  @discardableResult
  private func removeFiles(in part: String, where isLeftover: (String) -> Bool) throws(GitError) -> [String] {
    var remaining: [String] = []
    for name in try names(in: part) {
      guard isLeftover(name) else {
        remaining.append(name)
        continue
      }
      let entry = "\(path)/\(part)/\(name)"
      do {
        try FileManager.default.removeItem(atPath: entry)
      } catch {
        throw GitError(.permissionDenied, "cannot remove a file that a killed process left: \(error)", context: entry)
      }
    }
    return remaining
  }

  /// Lists a folder of the repository; none if it is missing.
  private func names(in part: String) throws(GitError) -> [String] {
    let folder = path + "/" + part
    // Each sync lists up to 259 folders, and Foundation takes ten times as long as the system's functions.
    func failure(_ number: Int32) -> GitError { .system(number, "cannot list the folder", context: folder) }
    guard let directory = unsafe opendir(folder) else {
      if errno == ENOENT { return [] }
      throw failure(errno)
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(directory) else {
        // At the end, the number is unchanged.
        if errno != 0 { throw failure(errno) }
        break
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// The exclusive use of a repository's folder, until the value is destroyed or its process ends.
struct RepositoryLock: ~Copyable {
  static let fileName = "coffer.lock"

  private let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  /// Locks a repository's folder. Throws `.locked` if another process, or another lock in this one, has it.
  ///
  /// Retries for up to 2 seconds: a child that another thread is starting holds copies of this process's descriptors
  /// until its program runs, and with them a lock that has been released here.
  static func acquire(folder: String) throws(GitError) -> RepositoryLock {
    let path = folder + "/" + fileName
    let end = ContinuousClock.now + .seconds(2)
    while true {
      let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard number >= 0 else { throw .system(errno, "cannot open the lock file", context: path) }
      let descriptor = Descriptor(owning: number)
      guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
        guard errno == EWOULDBLOCK else { throw .system(errno, "cannot lock", context: path) }
        guard ContinuousClock.now < end else {
          throw GitError(.locked, "another process uses this repository; try again when it is done", context: folder)
        }
        usleep(10_000)
        continue
      }
      // If the previous holder deleted the folder and created it again, this file is no longer the one at the path.
      if isSameFile(number, path) { return RepositoryLock(descriptor) }
    }
  }

  private static func isSameFile(_ descriptor: Int32, _ path: String) -> Bool {
    var opened = stat()
    var current = stat()
    guard unsafe fstat(descriptor, &opened) == 0, unsafe lstat(path, &current) == 0 else { return false }
    return opened.st_dev == current.st_dev && opened.st_ino == current.st_ino
  }
}
