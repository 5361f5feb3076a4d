package import CofferVault
internal import CofferPlatform
internal import CofferSystem

/// The folder in which the agent of a user listens: `/run/user/UID/coffer`, or `/tmp/coffer-UID` on a system without a
/// runtime folder for each user.
///
/// It is never taken from the environment, which another program may have set to lead to an agent of its own.
package struct AgentFolder: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package var socketPath: String { "\(path)/agent" }
  /// Locked by the running agent.
  package var lockPath: String { "\(path)/agent.lock" }

  /// The folder of the user of this process. It need not exist.
  package static var standard: AgentFolder {
    #if DEBUG
      // Tests run many agents of one user. A release does not read the variable.
      if let path = CurrentProcess.environment["COFFER_TEST_RUNTIME"] { return AgentFolder(path: path) }
    #endif
    let user = geteuid()
    let runtime = "/run/user/\(user)"
    return AgentFolder(path: isOwn(runtime) ? "\(runtime)/coffer" : "/tmp/coffer-\(user)")
  }

  /// Creates the folder if it is missing. Throws `readOnly` if it is not a folder that only this user can open.
  package func prepare() throws(VaultError) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw systemFailure("create \(path)") }
    guard isPrivate else {
      throw VaultError(
        .readOnly, "\(path) is not a folder that only this user can open, so no agent can listen there",
        recoverySuggestion: "find out who made it with `ls -ld \(path)`, and remove it")
    }
  }

  /// Whether the folder is one that only this user can open.
  package var isPrivate: Bool { Self.isOwn(path) }

  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }
}
