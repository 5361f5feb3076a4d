internal import CofferPlatform
package import CofferSystem
package import CofferVault

/// The other programs of Coffer, which are installed together: see ``InstalledProgram``.
package enum SiblingProgram {
  /// Returns the path of a program such as `coffer-sync`. Throws `io` if it is missing.
  package static func locate(_ name: String) throws(VaultError) -> String {
    let candidates = InstalledProgram.candidates(for: name)
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw VaultError(
        .io, "the program \(name) is missing; searched: \(candidates.joined(separator: ", "))",
        recoverySuggestion:
          "install the package \(package(of: name)), put the program into the folder of coffer, or set COFFER_LIBEXEC to its folder"
      )
    }
    return found
  }

  /// The packages that are separate have the names of their programs.
  private static func package(of name: String) -> String {
    ["coffer-inspect", "coffer-secret-service"].contains(name) ? name : "coffer"
  }

  /// `coffer inspect` for an advice, with its package if that is not installed.
  package static var inspectCommand: String {
    let name = "coffer-inspect"
    let isInstalled = InstalledProgram.path(of: name) != nil
    return "coffer inspect\(isInstalled ? "" : " (its package \(package(of: name)) is not installed)")"
  }

  /// Replaces this program by another one. Returns only by throwing: `io` if that is missing or cannot be started.
  package static func replaceProcess(by name: String, arguments: [String]) throws(VaultError) {
    let path = try locate(name)
    do throws(SystemError) {
      try CurrentProcess.replace(with: path, arguments: arguments)
    } catch {
      throw startFailure(path, error)
    }
  }

  /// Returns the error for a program that cannot be started.
  package static func startFailure(_ path: String, _ error: SystemError) -> VaultError {
    errno = error.number
    return systemFailure("start \(path)")
  }
}
