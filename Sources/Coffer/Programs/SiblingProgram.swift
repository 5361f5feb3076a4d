package import CofferSystem
package import CofferVault
internal import Foundation

/// The other programs of Coffer, which are installed together. They are searched for in the folder of this program and in
/// libexec, but never in `PATH`, which could lead to another program. For an app that is elsewhere, the usual places of an
/// installation are searched too, and `COFFER_LIBEXEC` can name another folder.
package enum SiblingProgram {
  /// Returns the path of a program.
  ///
  /// - Parameter name: The name of the program, such as `coffer-sync`.
  /// - Returns: The path.
  /// - Throws: `VaultError`: `io` if the program is missing.
  package static func locate(_ name: String) throws(VaultError) -> String {
    let own = URL(
      fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    )
    .resolvingSymlinksInPath().deletingLastPathComponent()
    var candidates = [name, "../libexec/coffer/\(name)", "../libexec/\(name)"]
      .map { own.appending(path: $0).standardizedFileURL.path(percentEncoded: false) }
    if let folder = CurrentProcess.environment["COFFER_LIBEXEC"], folder.hasPrefix("/") {
      candidates.append("\(folder)/\(name)")
    }
    candidates += ["/usr/local/libexec/coffer/\(name)", "/usr/libexec/coffer/\(name)"]
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw VaultError(
        .io, "the program \(name) is missing; searched: \(candidates.joined(separator: ", "))",
        recoverySuggestion: "install it in the folder of coffer, or set COFFER_LIBEXEC to its folder")
    }
    return found
  }

  /// Replaces this program by another one. Returns only by throwing.
  ///
  /// - Parameters:
  ///   - name: The name of the program.
  ///   - arguments: Its arguments.
  /// - Throws: `VaultError`: `io` if the program is missing or cannot be started.
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
