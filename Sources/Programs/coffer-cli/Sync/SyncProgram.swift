internal import Coffer
internal import CofferFormat
internal import CofferSystem
internal import Foundation

/// `coffer-sync`, the program that talks to the network: beside this one or in its libexec, never found through PATH, where
/// anybody could have put another.
enum SyncProgram {
  /// Becomes `coffer-sync` with these arguments; returns only by throwing.
  static func replaceProcess(_ arguments: [String]) throws(VaultError) {
    let path = try locate()
    do throws(SystemError) {
      try CurrentProcess.replace(with: path, arguments: arguments)
    } catch {
      throw startFailure(path, error)
    }
  }

  /// Runs `coffer-sync` and waits. What it prints to standard error is the user's to see; standard output is returned.
  ///
  /// - Throws: ``SyncFailure`` with its exit code; it has told the user why.
  @discardableResult
  static func run(_ arguments: [String]) throws -> Data {
    let path = try locate()
    let exit: ChildProcess.Exit
    let output: Data
    do throws(SystemError) {
      let result = try ChildProcess.run(path, arguments: arguments, maximumOutputByteCount: 16 << 20)
      (exit, output) = (result.exit, Data(result.output))
    } catch {
      throw startFailure(path, error)
    }
    switch exit {
    case .code(0): return output
    case .code(let code): throw SyncFailure(exitCode: code, output: output)
    case .signal(let number): throw VaultError(.io, "coffer-sync was ended by signal \(number)", mend: "try again")
    case .unknown: throw VaultError(.io, "the exit code of coffer-sync is unknown", mend: "try again")
    }
  }

  private static func startFailure(_ path: String, _ error: SystemError) -> VaultError {
    errno = error.number
    return systemFailure("start \(path)")
  }

  /// Changes membership: with a remote set, on the log as it stands there, and until the remote has taken it.
  ///
  /// `change` returns where its last entry stands in the log; nil where there was nothing to do.
  static func withMembershipChange(
    _ local: LocalVault, _ change: () throws(VaultError) -> LogPosition?
  ) throws {
    let lock = try FileLock(
      path: local.folder.membershipLockPath, patience: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    guard try local.remote() != nil else {
      _ = try change()
      return
    }
    try sync(local.folder)
    try pushUntilAccepted(local.folder, change)
  }

  /// Makes a change and pushes it; where another machine's change came first, makes it again on top of that one.
  static func pushUntilAccepted(_ folder: VaultFolder, _ change: () throws(VaultError) -> LogPosition?) throws {
    for _ in 1...8 {
      let position = try change()
      do {
        try sync(folder)
      } catch {
        // Not on the remote, so not in the log: the next try starts from what the remote says.
        let local = try LocalVault(folder)
        try local.discardUnpublishedMembership()
        // A sync of somebody else's may have been faster than the one that failed.
        if let position, try local.isPublished(position) { return }
        throw error
      }
      // The log is asked, not the sync: another one, started by a timer, may have pushed the entries or given them up.
      guard let position, try !LocalVault(folder).isPublished(position) else { return }
    }
    throw VaultError(
      .network, "other machines changed membership eight times while this one tried", mend: "try again in a while")
  }

  /// Runs a whole sync. One that got through and found fault with the remote has said so and counts as done.
  private static func sync(_ folder: VaultFolder) throws {
    do {
      try run(["sync", "--json", "--vault", folder.path])
    } catch let failure as SyncFailure where failure.exitCode == 6 && !failure.output.isEmpty {
      // Its report was printed, so it ran to its end.
    }
  }

  private static func locate() throws(VaultError) -> String {
    let own = URL(
      fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    )
    .resolvingSymlinksInPath().deletingLastPathComponent()
    let candidates = ["coffer-sync", "../libexec/coffer/coffer-sync", "../libexec/coffer-sync"]
      .map { own.appending(path: $0).standardizedFileURL.path(percentEncoded: false) }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw VaultError(
        .io, "the program coffer-sync is missing; it was looked for at \(candidates.joined(separator: ", "))",
        mend: "install it beside coffer")
    }
    return found
  }
}

/// `coffer-sync` has failed and has said why.
struct SyncFailure: Error {
  let exitCode: Int32
  /// What it printed: a report where it ran to its end all the same.
  let output: Data
}
