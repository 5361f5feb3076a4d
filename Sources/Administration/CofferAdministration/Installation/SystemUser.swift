internal import Coffer
internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// A user of the operating system.
package struct SystemUser: Hashable, Sendable {
  package let id: UInt32
  package let groupID: UInt32
  package let name: String
  /// Whether people can log in with the account.
  package let hasLoginShell: Bool

  /// Returns a user by name or number. Throws `invalidArgument` if there is none.
  package static func find(_ text: String) throws(VaultError) -> SystemUser {
    let entry = if let id = UInt32(text) { unsafe getpwuid(id) } else { unsafe getpwnam(text) }
    guard let entry = unsafe entry, let name = unsafe entry.pointee.pw_name else {
      throw VaultError(
        .invalidArgument, "the system has no user \(text.sanitizedForTerminal())",
        recoverySuggestion: "give the name or the number of a user")
    }
    let shell = unsafe entry.pointee.pw_shell.map { unsafe String(cString: $0) } ?? ""
    let barred = ["nologin", "false"].contains { shell.hasSuffix("/\($0)") }
    return unsafe SystemUser(
      id: entry.pointee.pw_uid, groupID: entry.pointee.pw_gid, name: String(cString: name), hasLoginShell: !barred)
  }
}
