internal import CofferCrypto
internal import Foundation

/// A folder beside a vault's place, in which a vault is made ready and then moved there in one step. What is not moved is
/// removed.
package final class StagingFolder {
  package let folder: VaultFolder
  private let destination: URL
  private var isMoved = false

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
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw VaultError(
        .readOnly, "cannot create a folder in \(parent.path(percentEncoded: false))",
        mend: "check that it is a folder of yours that can be written, or choose another with COFFER_HOME")
    }
    folder = VaultFolder(url)
  }

  deinit {
    if !isMoved { try? FileManager.default.removeItem(at: folder.url) }
  }

  /// Moves the folder into place, durably. Throws `vaultExists` where another process was faster.
  package func moveIntoPlace() throws(VaultError) {
    let target = destination.path(percentEncoded: false)
    try SecretFile.syncFolder(folder.path)
    // rename(2) replaces an empty folder and refuses a full one, which is the race decided.
    guard unsafe rename(folder.path, target) == 0 else {
      if errno == ENOTEMPTY || errno == EEXIST {
        throw VaultError(.vaultExists, "another program has just made a vault at \(target)", mend: "use that one")
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
