internal import Coffer
internal import CofferAdministration
internal import CofferSystem
internal import CofferVault

/// This program as a process of another user, which root starts.
enum UserProcess {
  private static let maximumOutputByteCount = 65_536

  /// Runs this program with the rights and the environment of a user, and returns what it prints. It asks at the same
  /// terminal. Throws `io` if it fails: it has said why.
  static func run(as user: SystemUser, _ arguments: [String]) throws(VaultError) -> [UInt8] {
    let program = CurrentProcess.executablePath
    if let weakness = ProtectedPath.weakness(of: program) {
      throw VaultError(
        .integrity, "root runs \(program), which others can change: \(weakness)",
        recoverySuggestion: "install Coffer for all users, as root, with: Scripts/install --prefix /usr/local")
    }
    guard let setpriv = SystemCommand.path(of: "setpriv") else {
      throw VaultError(
        .io, "the program setpriv is not installed", recoverySuggestion: "install the package util-linux")
    }
    let outcome: (exit: ChildProcess.Exit, output: [UInt8])
    do throws(SystemError) {
      outcome = try ChildProcess.run(
        setpriv,
        arguments: [
          "--reuid", user.name, "--regid", "\(user.groupID)", "--init-groups", "--reset-env", "--", program,
        ] + arguments,
        maximumOutputByteCount: maximumOutputByteCount)
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "try again")
    }
    guard outcome.exit == .code(0) else {
      throw VaultError(
        .io, "nothing was installed for \(user.name)", recoverySuggestion: "follow the advice above, and try again")
    }
    return outcome.output
  }
}
