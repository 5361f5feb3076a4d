internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The system's own programs, which root runs. They are looked for in folders of root, and see no variables of who started
/// this one.
package enum SystemCommand {
  private static let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]

  /// Returns the path of a program of the system; nil if it is not installed.
  package static func path(of name: String) -> String? {
    folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
  }

  /// Runs a program, and waits for it. Its output is discarded, its errors are those of this process.
  static func run(_ name: String, _ arguments: String...) throws(VaultError) {
    guard try exit(of: name, arguments) == .code(0) else {
      throw VaultError(
        .io, "\(name) has failed",
        recoverySuggestion: "see what it says with: \(name) \(arguments.joined(separator: " "))")
    }
  }

  /// Runs a program silently, and returns whether it was successful. False if it is not installed.
  static func succeeds(_ name: String, _ arguments: String...) -> Bool {
    (try? exit(of: name, arguments, isSilent: true)) == .code(0)
  }

  private static func exit(
    of name: String, _ arguments: [String], isSilent: Bool = false
  ) throws(VaultError) -> ChildProcess.Exit {
    guard let path = path(of: name) else {
      throw VaultError(
        .io, "the program \(name) is not installed", recoverySuggestion: "install the package that contains it")
    }
    do throws(SystemError) {
      return try ChildProcess.start(
        path, arguments: arguments, environment: ["PATH": folders.joined(separator: ":")], input: .null, output: .null,
        errors: isSilent ? .null : .inherited
      ).wait()
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "try again")
    }
  }
}
