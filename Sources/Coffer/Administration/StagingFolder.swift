internal import CofferCrypto
internal import CofferVault
internal import Foundation

/// A temporary folder next to a vault's location. A vault is prepared in it and then moved into place in one step. If
/// it is not moved, it is removed.
package final class StagingFolder {
  package let folder: VaultFolder
  private let destination: URL
  private var isMoved = false
  /// The parent folders that this object has created, outermost first.
  private let createdParents: [String]

  private init(_ folder: VaultFolder, destination: URL, createdParents: [String]) {
    self.folder = folder
    self.destination = destination
    self.createdParents = createdParents
  }

  /// Creates a staging folder for a new vault.
  ///
  /// - Throws: ``VaultError``: `vaultExists` if a vault exists at the location; `readOnly`, `diskFull` or `io` if the
  ///   folder cannot be created.
  package static func create(for location: VaultLocation) throws(VaultError) -> StagingFolder {
    let destination = location.folder
    let parent = destination.deletingLastPathComponent()
    removeLeftovers(for: location)
    try checkEmpty(location)
    let url = parent.appending(path: ".new-\(getpid())-\(hexadecimal(Random.bytes(count: 6)))")
    var created: [String] = []
    do throws(VaultError) {
      try makeFolder(url.path(percentEncoded: false), recordingIn: &created)
    } catch {
      removeEmpty(created)
      throw error
    }
    return StagingFolder(VaultFolder(url), destination: destination, createdParents: created.dropLast())
  }

  /// Checks that a vault can be created at a location. Creates nothing.
  ///
  /// - Parameter location: The location.
  /// - Throws: ``VaultError``: `vaultExists` if a vault, or anything else, is in the location's folder; `readOnly` if the
  ///   folder above it, or the nearest existing one, is not writable.
  package static func checkVacant(_ location: VaultLocation) throws(VaultError) {
    try checkEmpty(location)
    var parent = location.folder.deletingLastPathComponent().path(percentEncoded: false)
    while isAbsent(parent), parent != "/" { parent = (parent as NSString).deletingLastPathComponent }
    var isFolder: ObjCBool = false
    if unsafe FileManager.default.fileExists(atPath: parent, isDirectory: &isFolder), !isFolder.boolValue {
      throw creationFailure(ENOTDIR, in: parent)
    }
    // With the effective user, as mkdir(2). A folder that another process has just removed is left to mkdir.
    guard unsafe faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) != 0, errno != ENOENT else { return }
    throw creationFailure(errno, in: parent)
  }

  private static func checkEmpty(_ location: VaultLocation) throws(VaultError) {
    let path = location.folder.path(percentEncoded: false)
    guard let present = try? FileManager.default.contentsOfDirectory(atPath: path), !present.isEmpty else { return }
    throw VaultError(
      .vaultExists, "there is a vault at \(path) already",
      recoverySuggestion: "use it, or choose another place with COFFER_HOME; nothing was changed")
  }

  deinit {
    guard !isMoved else { return }
    try? FileManager.default.removeItem(at: folder.url)
    Self.removeEmpty(createdParents)
  }

  /// Creates a folder and its missing parents, each accessible by its owner only, and records the created ones.
  private static func makeFolder(
    _ path: String, recordingIn created: inout [String], attempts: Int = 8
  ) throws(VaultError) {
    let parent = (path as NSString).deletingLastPathComponent
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

  /// Moves the folder into place, durably.
  ///
  /// - Throws: ``VaultError``: `vaultExists` if another process has created a vault there in the meantime.
  package func moveIntoPlace() throws(VaultError) {
    let target = destination.path(percentEncoded: false)
    try SecretFile.syncFolder(folder.path)
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
    try SecretFile.syncFolder(destination.deletingLastPathComponent().path(percentEncoded: false))
  }

  /// Removes the staging folders of processes that were killed.
  package static func removeLeftovers(for location: VaultLocation) {
    let parent = location.folder.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path(percentEncoded: false))) ?? []
    for name in names where name.hasPrefix(".new-") {
      guard let owner = name.split(separator: "-").dropFirst().first.flatMap({ pid_t($0) }) else { continue }
      if kill(owner, 0) != 0 && errno == ESRCH { try? FileManager.default.removeItem(at: parent.appending(path: name)) }
    }
  }
}
