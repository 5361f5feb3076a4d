internal import CofferCrypto
internal import Foundation

/// A folder beside a vault's place, in which a vault is made ready and then moved there in one step. What is not moved is
/// removed.
package final class StagingFolder {
  package let folder: VaultFolder
  private let destination: URL
  private var isMoved = false
  /// The folders above the vault's that did not exist before, outermost first.
  private let createdParents: [String]

  /// Makes the folder. Throws `vaultExists` where there is a vault already.
  package init(for location: VaultLocation) throws(VaultError) {
    destination = location.folder
    let parent = destination.deletingLastPathComponent()
    Self.removeLeftovers(in: parent)
    let path = destination.path(percentEncoded: false)
    if let present = try? FileManager.default.contentsOfDirectory(atPath: path), !present.isEmpty {
      throw VaultError(
        .vaultExists, "there is a vault at \(path) already",
        mend: "use it, or choose another place with COFFER_HOME; nothing was changed")
    }
    let url = parent.appending(path: ".new-\(getpid())-\(hexadecimal(Random.bytes(count: 6)))")
    var created: [String] = []
    do throws(VaultError) {
      try Self.makeFolder(url.path(percentEncoded: false), noting: &created)
    } catch {
      Self.removeEmpty(created)
      throw error
    }
    folder = VaultFolder(url)
    createdParents = created.dropLast()
  }

  deinit {
    guard !isMoved else { return }
    try? FileManager.default.removeItem(at: folder.url)
    Self.removeEmpty(createdParents)
  }

  /// Makes a folder and those above it that are missing, each for its owner only, and notes those that it made.
  private static func makeFolder(
    _ path: String, noting created: inout [String], attempts: Int = 8
  ) throws(VaultError) {
    let parent = (path as NSString).deletingLastPathComponent
    if parent != path, !FileManager.default.fileExists(atPath: parent) { try makeFolder(parent, noting: &created) }
    if unsafe mkdir(path, 0o700) == 0 { return created.append(path) }
    let number = errno
    // Another process may have been faster with a folder that both need.
    if number == EEXIST { return }
    // Or have taken back the folder above, which it had made and did not need.
    if number == ENOENT, attempts > 1 { return try makeFolder(path, noting: &created, attempts: attempts - 1) }
    let reason = unsafe String(cString: strerror(number))
    let code: VaultError.Code =
      switch number {
      case EACCES, EPERM, EROFS: .readOnly
      case ENOSPC, EDQUOT: .diskFull
      default: .io
      }
    throw VaultError(
      code, "cannot create a folder in \(parent): \(reason)",
      mend: "check that it is a folder of yours that can be written, or choose another with COFFER_HOME")
  }

  /// Takes back the folders that this process made, but for those that something lies in by now.
  private static func removeEmpty(_ folders: [String]) {
    for folder in folders.reversed() where unsafe rmdir(folder) != 0 { return }
  }

  /// Moves the folder into place, durably. Throws `vaultExists` where another process was faster.
  package func moveIntoPlace() throws(VaultError) {
    let target = destination.path(percentEncoded: false)
    try SecretFile.syncFolder(folder.path)
    // rename(2) replaces an empty folder and refuses a full one, which is the race decided.
    guard unsafe rename(folder.path, target) == 0 else {
      if errno == ENOTEMPTY || errno == EEXIST {
        throw VaultError(
          .vaultExists, "another program has just made a vault at \(target)",
          mend: "use that one; a vault key shown by this run opens nothing")
      }
      throw systemFailure("create \(target)")
    }
    isMoved = true
    try SecretFile.syncFolder(destination.deletingLastPathComponent().path(percentEncoded: false))
  }

  /// Removes the folders of processes that were killed while making a vault.
  private static func removeLeftovers(in parent: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path(percentEncoded: false))) ?? []
    for name in names where name.hasPrefix(".new-") {
      guard let owner = name.split(separator: "-").dropFirst().first.flatMap({ pid_t($0) }) else { continue }
      if kill(owner, 0) != 0 && errno == ESRCH { try? FileManager.default.removeItem(at: parent.appending(path: name)) }
    }
  }
}
