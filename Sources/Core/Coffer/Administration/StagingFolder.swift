internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// A temporary folder next to a vault's location. A vault is prepared in it and then moved into place in one step. If
/// it is not moved, it is removed.
///
/// A file beside the folder is locked for as long as the folder is in use: `.new-ID.lock` for the folder `.new-ID`. The
/// kernel releases the lock when the process ends. A process identifier would not tell whether the process lives:
/// identifiers are reused, and differ between containers that share a disk.
package final class StagingFolder {
  package let folder: VaultFolder
  private let destination: URL
  private let lock: FileLock
  private var isMoved = false
  /// Whether the folder stays, for another program that goes on with it.
  private var isKept = false
  /// The parent folders that this object has created, outermost first.
  private let createdParents: [String]

  private init(_ folder: VaultFolder, lock: consuming FileLock, destination: URL, createdParents: [String]) {
    self.folder = folder
    self.lock = lock
    self.destination = destination
    self.createdParents = createdParents
  }

  /// Creates a staging folder beside a location, for a new vault or to rebuild the store of a vault that exists. Throws
  /// `vaultExists` if a vault exists at the location.
  package static func create(
    for location: VaultLocation, isRebuild: Bool = false
  ) throws(VaultError) -> StagingFolder {
    let destination = location.folder
    let parent = destination.deletingLastPathComponent()
    removeLeftovers(for: location)
    if !isRebuild { try checkEmpty(location) }
    let url = parent.appending(path: ".new-\(hexadecimal(Random.bytes(count: 12)))")
    let path = url.path(percentEncoded: false)
    var created: [String] = []
    do throws(VaultError) {
      let lock = try acquireLock(of: path, recordingIn: &created)
      FaultPoint.reached(.stagingLocked)
      try makeFolder(path, recordingIn: &created)
      FaultPoint.reached(.stagingCreated)
      return StagingFolder(
        VaultFolder(url), lock: lock, destination: destination, createdParents: created.dropLast())
    } catch {
      unsafe unlink(lockPath(of: path))
      removeEmpty(created)
      throw error
    }
  }

  /// Opens the folder in which a new machine waits for the answer to its request. It stays when this program ends, if
  /// there is a request or ``keep()`` was called, and the next program goes on with it. It is beside the location's,
  /// and empty the first time. Throws `vaultExists` if a vault exists at the location, unless that one joins the new
  /// one, and `io` if another program uses the folder.
  package static func waiting(
    for location: VaultLocation, besideVault isJoining: Bool = false
  ) throws(VaultError) -> StagingFolder {
    if !isJoining { try checkEmpty(location) }
    let folder = try resuming(waitingFolder(of: location), for: location, named: "waits for the answer to its request")
    folder.isKept = folder.folder.requestFile.exists
    return folder
  }

  private static func waitingFolder(of location: VaultLocation) -> URL { folder(named: ".join-", of: location) }

  /// The folder of ``joining(for:)``, which may not exist.
  package static func joiningFolder(of location: VaultLocation) -> VaultFolder {
    VaultFolder(folder(named: ".merge-", of: location))
  }

  /// Opens the folder in which the vault is prepared that the one at the location joins. It stays when this program
  /// ends if it has a store or ``keep()`` was called, and the next program goes on with it. After ``exchange()``, it
  /// has the former vault of the location. Throws `io` if another program uses the folder.
  package static func joining(for location: VaultLocation) throws(VaultError) -> StagingFolder {
    let folder = try resuming(joiningFolder(of: location).url, for: location, named: "is joining a vault")
    folder.isKept = folder.folder.exists
    return folder
  }

  /// Renames the folder of ``waiting(for:besideVault:)``, in which this machine is enrolled now, to that of
  /// ``joining(for:)``, durably and in one step. This object does not use it any more.
  package func handOverToJoining(for location: VaultLocation) throws(VaultError) {
    let target = Self.joiningFolder(of: location).path
    guard let lock = try FileLock.acquireUnlessHeld(path: Self.lockPath(of: target)) else {
      throw VaultError(.io, "another program on this machine is joining a vault", recoverySuggestion: "wait for it")
    }
    defer { extendLifetime(lock) }
    try SecretFile.syncFolder(folder.path)
    guard unsafe rename(folder.path, target) == 0 else { throw systemFailure("create \(target)") }
    isMoved = true
    FaultPoint.reached(.vaultMoved)
    unsafe unlink(Self.lockPath(of: folder.path))
    try SecretFile.syncFolder(destination.deletingLastPathComponent().path(percentEncoded: false))
  }

  private static func folder(named prefix: String, of location: VaultLocation) -> URL {
    let destination = location.folder
    return destination.deletingLastPathComponent().appending(path: prefix + destination.lastPathComponent)
  }

  /// Opens a folder with which an earlier program may have begun. `work` is what a program does that uses it.
  private static func resuming(
    _ url: URL, for location: VaultLocation, named work: String
  ) throws(VaultError) -> StagingFolder {
    let destination = location.folder
    let path = url.path(percentEncoded: false)
    var created: [String] = []
    try makeFolder(destination.deletingLastPathComponent().path(percentEncoded: false), recordingIn: &created)
    guard let lock = try FileLock.acquireUnlessHeld(path: lockPath(of: path)) else {
      throw VaultError(
        .io, "another program on this machine \(work)",
        recoverySuggestion: "wait for it; or end it, and run this command again, which goes on with it")
    }
    try makeFolder(path, recordingIn: &created)
    return StagingFolder(
      VaultFolder(url), lock: lock, destination: destination, createdParents: created.filter { $0 != path })
  }

  /// Removes everything in a folder that ``waiting(for:)`` has returned: the request was refused, or another one is
  /// made.
  package func empty() throws(VaultError) {
    try translatingErrors {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        try removeTree("\(folder.path)/\(name)")
      }
    }
  }

  /// Has the folder stay when this object is released.
  package func keep() { isKept = true }

  /// Has the folder removed when this object is released.
  package func discard() { isKept = false }

  private static func lockPath(of folder: String) -> String { "\(folder).lock" }

  /// Creates and locks the file beside a folder that does not exist yet, so that the folder never exists without a
  /// lock. Creates the missing parent folders.
  private static func acquireLock(
    of folder: String, recordingIn created: inout [String], attempts: Int = 8
  ) throws(VaultError) -> FileLock {
    let parent = folder.parentFolder
    if !FileManager.default.fileExists(atPath: parent) { try makeFolder(parent, recordingIn: &created) }
    do throws(VaultError) {
      if let lock = try FileLock.acquireUnlessHeld(path: lockPath(of: folder)) { return lock }
    } catch {
      // Another process may have removed the parent folder again, which it had created and did not need.
      guard attempts > 1, isAbsent(parent) else { throw error }
    }
    // Or it takes the file for a leftover, and is about to delete it.
    guard attempts > 1 else {
      throw VaultError(.io, "another program is cleaning up in \(parent)", recoverySuggestion: "try again")
    }
    return try acquireLock(of: folder, recordingIn: &created, attempts: attempts - 1)
  }

  /// Checks that a vault can be created at a location. Creates nothing. Throws `vaultExists` if anything is in the
  /// location's folder, and `readOnly` if the nearest existing folder above it is not writable.
  package static func checkVacant(_ location: VaultLocation) throws(VaultError) {
    try checkEmpty(location)
    var parent = location.folder.deletingLastPathComponent().path(percentEncoded: false)
    while isAbsent(parent), parent != "/" { parent = parent.parentFolder }
    var status = stat()
    if unsafe stat(parent, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
      throw creationFailure(ENOTDIR, in: parent)
    }
    // With the effective user, as mkdir(2). A folder that another process has just removed is left to mkdir.
    guard unsafe faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) != 0, errno != ENOENT else { return }
    throw creationFailure(errno, in: parent)
  }

  private static func checkEmpty(_ location: VaultLocation) throws(VaultError) {
    let path = location.folder.path(percentEncoded: false)
    guard let present = try? FileManager.default.contentsOfDirectory(atPath: path), !present.isEmpty else { return }
    let folder = VaultFolder(location)
    if folder.deviceFile.exists, !folder.exists {
      throw VaultError(
        .vaultExists, "the vault at \(path) has this machine's keys and no store",
        recoverySuggestion: folder.rejoinSuggestion)
    }
    throw VaultError(
      .vaultExists, "there is a vault at \(path) already",
      recoverySuggestion: "use it, or choose another place with COFFER_HOME; nothing was changed")
  }

  deinit {
    guard !isMoved, !isKept else { return }
    try? removeTree(folder.path)
    unsafe unlink(Self.lockPath(of: folder.path))
    Self.removeEmpty(createdParents)
  }

  /// Creates a folder and its missing parents, each accessible by its owner only, and records the created ones.
  private static func makeFolder(
    _ path: String, recordingIn created: inout [String], attempts: Int = 8
  ) throws(VaultError) {
    let parent = path.parentFolder
    if parent != path, !FileManager.default.fileExists(atPath: parent) { try makeFolder(parent, recordingIn: &created) }
    if unsafe mkdir(path, 0o700) == 0 { return created.append(path) }
    let number = errno
    // Another process may have been faster with a folder that both need.
    if number == EEXIST { return }
    // Or it has removed the parent folder again, which it had created and did not need.
    if number == ENOENT, attempts > 1 { return try makeFolder(path, recordingIn: &created, attempts: attempts - 1) }
    throw creationFailure(number, in: parent)
  }

  private static func creationFailure(_ number: Int32, in parent: String) -> VaultError {
    let reason = unsafe String(cString: strerror(number))
    let code: VaultError.Code =
      switch number {
      case EACCES, EPERM, EROFS: .readOnly
      case ENOSPC, EDQUOT: .diskFull
      default: .io
      }
    return VaultError(
      code, "cannot create a folder in \(parent): \(reason)",
      recoverySuggestion:
        "check that you own the folder and that it can be written, or choose another one with COFFER_HOME")
  }

  /// Removes the folders that this process has created, unless they are not empty by now.
  private static func removeEmpty(_ folders: [String]) {
    for folder in folders.reversed() where unsafe rmdir(folder) != 0 { return }
  }

  /// Moves the folder into place, durably. Throws `vaultExists` if another process has created a vault there in the
  /// meantime. After another error, the vault may be in place.
  package func moveIntoPlace() throws(VaultError) {
    let target = destination.path(percentEncoded: false)
    try SecretFile.syncFolder(folder.path)
    FaultPoint.reached(.stagingComplete)
    // rename(2) replaces an empty folder and refuses a non-empty one, so one process wins the race.
    guard unsafe rename(folder.path, target) == 0 else {
      if errno == ENOTEMPTY || errno == EEXIST {
        throw VaultError(
          .vaultExists, "another program has just created a vault at \(target)",
          recoverySuggestion: "use that one; a vault key shown by this run opens nothing")
      }
      throw systemFailure("create \(target)")
    }
    isMoved = true
    FaultPoint.reached(.vaultMoved)
    unsafe unlink(Self.lockPath(of: folder.path))
    do throws(VaultError) {
      try SecretFile.syncFolder(destination.deletingLastPathComponent().path(percentEncoded: false))
    } catch {
      throw VaultError(
        error.code, "the vault is in place at \(target), and a power failure now may lose it: \(error.message)",
        recoverySuggestion: "check the disk and the mode of the folder, then use the vault")
    }
  }

  /// Checks, before anything is changed, that ``exchange()`` is possible. Throws `io` or `invalidArgument` if it is
  /// not.
  package func checkExchange() throws(VaultError) {
    // With a slash at the end, lstat(2) would follow a link.
    let target = URL(fileURLWithPath: destination.path(percentEncoded: false), isDirectory: false).path
    var information = stat()
    guard unsafe lstat(target, &information) == 0 else { throw systemFailure("examine \(target)") }
    guard information.st_mode & S_IFMT == S_IFDIR else {
      throw VaultError(
        .invalidArgument, "\(target) is a link, and not the folder of the vault itself",
        recoverySuggestion: "name the folder with COFFER_HOME; nothing was changed")
    }
    let parent = destination.deletingLastPathComponent().path(percentEncoded: false)
    let names = (0..<2).map { "\(parent)/.new-\(hexadecimal(Random.bytes(count: 12)))-\($0)" }
    defer { for name in names { _ = unsafe rmdir(name) } }
    for name in names where unsafe mkdir(name, 0o700) != 0 { throw systemFailure("create \(name)") }
    do throws(SystemError) {
      try exchangeNames(names[0], names[1])
    } catch {
      throw VaultError(
        .io, "the file system of \(target) cannot exchange two folders in one step",
        recoverySuggestion: "move the vaults to another file system with COFFER_HOME; nothing was changed")
    }
  }

  /// Exchanges the folder with the vault at the location, durably and in one step: at every moment, the location has
  /// one of the two vaults. This folder has the former vault then, and stays.
  package func exchange() throws(VaultError) {
    try SecretFile.syncFolder(folder.path)
    FaultPoint.reached(.stagingComplete)
    do throws(SystemError) {
      try exchangeNames(folder.path, destination.path(percentEncoded: false))
    } catch {
      throw systemFailure("replace the vault at \(destination.path(percentEncoded: false))", number: error.number)
    }
    isKept = true
    FaultPoint.reached(.vaultMoved)
    try SecretFile.syncFolder(destination.deletingLastPathComponent().path(percentEncoded: false))
  }

  /// Removes the folder with everything in it. If this is interrupted, ``removeLeftovers(for:)`` goes on.
  package func remove() throws(VaultError) {
    let parent = destination.deletingLastPathComponent().path(percentEncoded: false)
    let leftover = "\(parent)/.new-\(hexadecimal(Random.bytes(count: 12)))"
    guard unsafe rename(folder.path, leftover) == 0 else { throw systemFailure("remove \(folder.path)") }
    isMoved = true
    unsafe unlink(Self.lockPath(of: folder.path))
    // A run that was killed in handOverToJoining(for:) has left it.
    unsafe unlink(Self.lockPath(of: "\(parent)/.join-\(destination.lastPathComponent)"))
    FaultPoint.reached(.formerVaultDiscarded)
    try? removeTree(leftover)
    try SecretFile.syncFolder(parent)
  }

  /// Removes the staging folders whose lock nobody holds: those of processes that were killed.
  package static func removeLeftovers(for location: VaultLocation) {
    let parent = location.folder.deletingLastPathComponent().path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(".new-") {
      let path = "\(parent)/\(name.hasSuffix(".lock") ? String(name.dropLast(5)) : name)"
      do throws(VaultError) {
        guard let lock = try FileLock.acquireUnlessHeld(path: lockPath(of: path)) else { continue }
        try? removeTree(path)
        // Deleted while it is locked: whoever has opened it meanwhile sees that.
        unsafe unlink(lockPath(of: path))
        extendLifetime(lock)
      } catch {
        // In a folder that cannot be written nothing can be removed.
      }
    }
  }
}
