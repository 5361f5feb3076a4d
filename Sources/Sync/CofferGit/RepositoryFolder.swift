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

  /// Writes a packed object in its place, unless it is there. A draft that a killed process leaves is removed as other
  /// leftovers are.
  func writeObject(_ packed: [UInt8], as id: ObjectID) throws(GitError) {
    let name = id.description
    let folder = "\(path)/objects/\(name.prefix(2))"
    let file = "\(folder)/\(name.dropFirst(2))"
    guard unsafe access(file, F_OK) != 0 else { return }
    func failure() -> GitError { .system(errno, "cannot write an object", context: file) }
    _ = unsafe mkdir(folder, 0o700)
    let draft = "\(folder)/tmp_obj_\(name.dropFirst(2))"
    _ = unsafe unlink(draft)
    let number = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o400)
    guard number >= 0 else { throw failure() }
    let descriptor = Descriptor(owning: number)
    guard Descriptor.writeAll(packed, to: descriptor.rawValue) else { throw failure() }
    guard unsafe rename(draft, file) == 0 else { throw failure() }
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
      do throws(SystemError) {
        // It may be a folder, in which Foundation deletes by paths.
        try removeTree(entry)
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

extension RemoteURL {
  /// Reads the state of a bare repository on this machine from its files, without starting a program for it. Returns
  /// nil for another remote, and for a repository of which only git can tell what it would show.
  package func repositoryState() -> RepositoryState? { localPath.flatMap { RepositoryFolder(path: $0).state() } }
}

/// The branches and tags of a repository by their full names, and what shows that objects were added or lost.
package struct RepositoryState: Hashable, Sendable, Codable {
  package let references: [String: String]
  /// The numbers of the folders with objects, and when they changed.
  private let folders: [Int64]

  fileprivate init(references: [String: String], folders: [Int64]) {
    self.references = references
    self.folders = folders
  }
}

extension RepositoryFolder {
  fileprivate func state() -> RepositoryState? {
    // Git looks for a working tree first, and refuses the repository of another user.
    guard status("")?.st_uid == geteuid(), status(".git") == nil, contents(of: "HEAD") != nil else { return nil }
    var folders: [Int64] = []
    for part in ["objects", "objects/pack"] {
      guard let status = status(part) else { return nil }
      folders += [Int64(truncatingIfNeeded: status.st_ino), Self.changeTime(status)]
    }
    var loose: [String: String] = [:]
    // Before the packed ones: git may pack some meanwhile.
    guard readLoose("refs/heads", into: &loose), readLoose("refs/tags", into: &loose) else { return nil }
    guard let packed = status("packed-refs") == nil ? [] : contents(of: "packed-refs") else { return nil }
    var references: [String: String] = [:]
    for line in packed.split(separator: UInt8(ascii: "\n")) {
      // A line of another kind describes the file, or the reference before it.
      guard line.count > 41, line[line.startIndex + 40] == UInt8(ascii: " "),
        let id = ObjectID(hexadecimal: line.prefix(40))
      else { continue }
      let name = String(decoding: line.dropFirst(41), as: UTF8.self)
      if name.hasPrefix("refs/heads/") || name.hasPrefix("refs/tags/") { references[name] = id.description }
    }
    return RepositoryState(references: references.merging(loose) { $1 }, folders: folders)
  }

  /// Reads the references that have a file. Returns false if one of them cannot be read so: it may name another one.
  private func readLoose(_ part: String, into references: inout [String: String], depth: Int = 0) -> Bool {
    guard depth < 8, status(part).map({ $0.st_mode & S_IFMT == S_IFDIR }) == true, let names = try? names(in: part)
    else { return false }
    for name in names {
      let entry = "\(part)/\(name)"
      if status(entry).map({ $0.st_mode & S_IFMT == S_IFDIR }) == true {
        guard readLoose(entry, into: &references, depth: depth + 1) else { return false }
      } else {
        guard let text = contents(of: entry), let id = ObjectID(hexadecimal: text.prefix(40)) else { return false }
        references[entry] = id.description
      }
    }
    return true
  }

  /// Reads a regular file; nil if it cannot be read, or is large.
  private func contents(of part: String) -> [UInt8]? {
    let number = unsafe open("\(path)/\(part)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard number >= 0 else { return nil }
    let file = Descriptor(owning: number)
    guard status(part).map({ $0.st_mode & S_IFMT == S_IFREG }) == true else { return nil }
    let bytes = file.readToEnd(maximumByteCount: Self.maximumFileByteCount)
    return bytes.count < Self.maximumFileByteCount ? bytes : nil
  }

  private static let maximumFileByteCount = 1 << 16

  private func status(_ part: String) -> stat? {
    var status = stat()
    return unsafe lstat("\(path)/\(part)", &status) == 0 ? status : nil
  }

  /// In nanoseconds.
  private static func changeTime(_ status: stat) -> Int64 {
    #if canImport(Darwin)
      let time = status.st_ctimespec
    #else
      let time = status.st_ctim
    #endif
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
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
