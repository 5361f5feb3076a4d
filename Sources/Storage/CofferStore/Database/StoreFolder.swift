internal import CofferPlatform
internal import CofferSystem
internal import GRDBSQLite
internal import Synchronization

/// The folder of a store's file. It is open as long as SQLite uses the file.
///
/// SQLite acts on names that it finds beside the file and in them: a rollback journal names other files, which SQLite
/// deletes. So another program of the user could have a program with more rights, such as one that root has installed,
/// delete a file for it. Here SQLite opens the file and its companions by the folder's descriptor, whatever the names
/// on the way to the folder become, and follows no link. It never reads a rollback journal, which no store has, and
/// deletes nothing but a write-ahead log.
final class StoreFolder: Sendable {
  private let descriptor: SharedDescriptor
  /// The path of the store's file for SQLite.
  let reference: String
  /// The name under which SQLite knows the functions for files of ``StoreFiles``.
  let fileSystem: String

  private init(descriptor: SharedDescriptor, reference: String, fileSystem: String) {
    self.descriptor = descriptor
    self.reference = reference
    self.fileSystem = fileSystem
  }

  /// Opens the folder of a store's file, and examines the file and its companions. Throws ``StoreError/Code/missing``,
  /// ``StoreError/Code/corrupt`` for a rollback journal and for what is not a regular file, and
  /// ``StoreError/Code/permissionDenied`` if another user owns or can change one of them.
  static func open(of path: String) throws(StoreError) -> StoreFolder {
    guard let fileSystem = StoreFiles.name else {
      throw StoreError(.io, path: path, detail: "this version of SQLite cannot open the store safely")
    }
    let opened = openFolder(StoreError.folder(of: path))
    guard opened >= 0 else { throw .system(errno, "opening the store", path: path) }
    let descriptor = SharedDescriptor.sharing(opened)
    try examine(path, in: descriptor.number)
    let reference = try reference(to: path, in: descriptor.number)
    return StoreFolder(descriptor: descriptor, reference: reference, fileSystem: fileSystem)
  }

  private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

  /// Whether this process can do more than the other programs of its user.
  private static var isPrivileged: Bool { CurrentProcess.hasElevatedPrivileges || geteuid() == 0 }

  // MARK: What is there

  private static func examine(_ path: String, in folder: Int32) throws(StoreError) {
    var (file, status) = (stat(), stat())
    guard unsafe fstatat(folder, name(of: path), &file, AT_SYMLINK_NOFOLLOW) == 0,
      unsafe fstat(folder, &status) == 0
    else { throw .system(errno, "opening the store", path: path) }
    try checkKind(file, path)
    try checkAccess(status, StoreError.folder(of: path))
    try checkAccess(file, path)
    for suffix in ["-wal", "-shm", "-journal"] {
      guard unsafe fstatat(folder, name(of: path) + suffix, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        if errno == ENOENT { continue }
        throw .system(errno, "opening the store", path: path)
      }
      let companion = path + suffix
      guard suffix != "-journal" else {
        throw StoreError(
          .corrupt, path: companion, detail: "no store has a rollback journal: another program has put this file here",
          recoverySuggestion: "move it away with: mv \(companion.shellWord) \("\(companion).foreign".shellWord)")
      }
      try checkKind(status, companion)
      try checkAccess(status, companion)
    }
  }

  private static func checkKind(_ status: stat, _ path: String) throws(StoreError) {
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.corrupt, path: path, detail: "this is not a regular file; give the path of the store's file")
    }
  }

  private static func checkAccess(_ status: stat, _ path: String) throws(StoreError) {
    let user = geteuid()
    guard status.st_uid == user || status.st_uid == 0 && !isPrivileged else {
      throw StoreError(
        .permissionDenied, path: path, detail: "this belongs to another user (uid \(status.st_uid))",
        recoverySuggestion: user == 0
          ? "run the command as that user: sudo -H -u '#\(status.st_uid)' coffer …"
          : "run the program as that user, or take ownership, as root, with: chown \(user) \(path.shellWord)")
    }
    // Programs of the user are in groups of the user, and a program with more rights is not one of them.
    let excess = status.st_mode & (isPrivileged ? 0o022 : 0o002)
    guard excess == 0 else {
      throw StoreError(
        .permissionDenied, path: path,
        detail: "this can be written by other users (mode \(String(status.st_mode & 0o7777, radix: 8)))",
        recoverySuggestion: "restrict the permissions with: chmod go-w \(path.shellWord)")
    }
  }

  // MARK: SQLite's path

  private static func reference(to path: String, in folder: Int32) throws(StoreError) -> String {
    #if os(Linux)
      let link = "/proc/self/fd/\(folder)"
      var (opened, linked) = (stat(), stat())
      if unsafe fstat(folder, &opened) == 0, unsafe stat(link, &linked) == 0, opened.st_dev == linked.st_dev,
        opened.st_ino == linked.st_ino
      {
        return "\(link)/\(name(of: path))"
      }
      guard !isPrivileged else {
        throw StoreError(
          .io, path: path, detail: "without /proc, a program with more rights than its user's cannot open it safely",
          recoverySuggestion: "mount /proc")
      }
    #endif
    return path
  }
}

/// The descriptor of a folder, which all stores in the folder have in common as long as this process uses one of them.
///
/// SQLite keeps the path by which its first connection has found the shared memory of a file, and deletes what is at
/// that path after the last one. The number in it must not be that of another folder by then.
private final class SharedDescriptor: Sendable {
  private struct Folder: Hashable {
    let device: dev_t
    let inode: ino_t
  }

  private struct Reference {
    weak var descriptor: SharedDescriptor?
  }

  private static let known = Mutex<[Folder: Reference]>([:])

  let number: Int32

  private init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// Takes an open descriptor. Returns the one by which this process has the same folder already, or else this one.
  static func sharing(_ number: Int32) -> SharedDescriptor {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { return SharedDescriptor(number) }
    let folder = Folder(device: status.st_dev, inode: status.st_ino)
    return known.withLock { known in
      if let descriptor = known[folder]?.descriptor {
        close(number)
        return descriptor
      }
      known = known.filter { $0.value.descriptor != nil }
      let descriptor = SharedDescriptor(number)
      known[folder] = Reference(descriptor: descriptor)
      return descriptor
    }
  }
}

/// SQLite's functions for files, without those that only rollback journals need.
private enum StoreFiles {
  /// The name under which SQLite knows them; nil if it has no functions to begin with.
  static let name: String? = register()

  private static let systemName = "unix"

  private static func register() -> String? {
    guard let system = unsafe sqlite3_vfs_find(systemName) else { return nil }
    let name = "coffer-store"
    let files = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    unsafe files.initialize(to: system.pointee)
    unsafe files.pointee.pNext = nil
    unsafe files.pointee.zName = UnsafePointer(strdup(name))
    unsafe files.pointee.xOpen = { _, path, file, flags, outFlags in
      unsafe file?.pointee.pMethods = nil
      let system = unsafe sqlite3_vfs_find(StoreFiles.systemName)
      guard flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL) == 0, let open = unsafe system?.pointee.xOpen
      else { return SQLITE_CANTOPEN }
      return unsafe open(system, path, file, flags, outFlags)
    }
    unsafe files.pointee.xDelete = { _, path, synchronises in
      let system = unsafe sqlite3_vfs_find(StoreFiles.systemName)
      guard let path = unsafe path, unsafe String(cString: path).hasSuffix("-wal"),
        let delete = unsafe system?.pointee.xDelete
      else { return SQLITE_IOERR | 10 << 8 }
      return unsafe delete(system, path, synchronises)
    }
    #if os(Linux)
      // SQLite would follow the link to the folder, and use the path that the folder has at the moment.
      unsafe files.pointee.xFullPathname = { _, path, capacity, full in
        guard let path = unsafe path, let full = unsafe full, unsafe strlen(path) < Int(capacity) else {
          return SQLITE_CANTOPEN
        }
        unsafe strcpy(full, path)
        return SQLITE_OK
      }
    #endif
    // SQLite refers to it until the process ends.
    return unsafe sqlite3_vfs_register(files, 0) == SQLITE_OK ? name : nil
  }
}

// Outside of StoreFolder, whose `open` would hide the system's.

/// Opens a folder, with a number that no standard stream has: those are replaced in some programs.
private func openFolder(_ path: String) -> Int32 {
  let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0, folder <= STDERR_FILENO else { return folder }
  defer { close(folder) }
  return fcntl(folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
}
