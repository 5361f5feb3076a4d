internal import Coffer
package import CofferFormat
package import CofferPlatform
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// The program `coffer-sync`, which uses the network.
package enum SyncProgram {
  /// Who sees what `coffer-sync` says, and whom it can ask.
  package enum Audience: Sendable {
    /// The person at this program's terminal.
    case terminal
    /// Nobody but this program: the messages are in ``SyncFailure/messages``.
    case program
  }

  package static let name = SyncProcess.program

  private static let maximumOutputByteCount = 16 << 20
  private static let maximumMessageCount = 1_000

  /// Runs `coffer-sync` and waits for its end. Returns its standard output, at most 16 MiB. The input has at most 64
  /// KiB, and is only for ``Audience/terminal``. Throws ``SyncFailure`` if the program fails; it has said why.
  @discardableResult
  package static func run(
    _ arguments: [String], for audience: Audience = .terminal, input: [UInt8]? = nil
  ) throws -> Data {
    let exit: ChildProcess.Exit
    let output: Data
    var messages: [String] = []
    switch audience {
    case .terminal: (exit, output) = try runAtTerminal(arguments, input)
    case .program:
      let outcome = try SyncProcess.prepare(arguments).run { line in
        if messages.count < maximumMessageCount { messages.append(line) }
      }
      (exit, output) = (outcome.exit, Data(outcome.output))
    }
    switch exit {
    case .code(0): return output
    case .code(let code):
      throw SyncFailure(exitCode: code, output: output, messages: messages.joined(separator: "\n"))
    case .signal(let number):
      throw VaultError(.io, "coffer-sync was ended by signal \(number)", recoverySuggestion: "try again")
    case .unknown: throw VaultError(.io, "the exit code of coffer-sync is unknown", recoverySuggestion: "try again")
    }
  }

  private static func runAtTerminal(
    _ arguments: [String], _ input: [UInt8]?
  ) throws(VaultError) -> (ChildProcess.Exit, Data) {
    let path = try SiblingProgram.locate(name)
    do throws(SystemError) {
      let result = try ChildProcess.run(
        path, arguments: arguments, input: input, maximumOutputByteCount: maximumOutputByteCount)
      return (result.exit, Data(result.output))
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
  }

  /// Changes membership. If the vault has a remote, the change is based on the remote's log and repeated until the
  /// remote accepts it. `change` receives the number of the attempt, from 1, and returns the position of its last entry
  /// in the log, or nil if there was nothing to do. `install` writes the keys that the change has made to this
  /// machine's files, while other changes still wait.
  package static func withMembershipChange(
    _ local: LocalVault, for audience: Audience = .terminal,
    _ change: (_ attempt: Int) throws(VaultError) -> LogPosition?,
    install: () throws(VaultError) -> Void = {}
  ) throws {
    let lock = try FileLock.acquire(
      path: local.folder.membershipLockPath, timeout: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    if try local.remote() != nil {
      try sync(local.folder, for: audience)
      try pushUntilAccepted(local.folder, for: audience, change)
    } else {
      _ = try change(1)
    }
    try install()
  }

  /// Makes a change and pushes it. If another machine's change came first, makes it again on top of that one. `change`
  /// is as in ``withMembershipChange(_:for:_:install:)``. Throws `network` if each attempt was discarded.
  package static func pushUntilAccepted(
    _ folder: VaultFolder, for audience: Audience = .terminal, arguments: [String] = [],
    _ change: (_ attempt: Int) throws(VaultError) -> LogPosition?
  ) throws {
    var lostRaces = 0
    for attempt in 1...attempts {
      let position = try change(attempt)
      let before = try publishedHead(of: folder)
      do {
        try sync(folder, for: audience, arguments: arguments)
      } catch {
        // A change that is not on the remote is removed from the log, so that the next attempt starts from the
        // remote's.
        let local = try LocalVault.open(folder)
        try local.discardUnpublishedLog()
        // Another sync may have pushed the change before this one failed.
        if let position, try local.isPublished(position) { return }
        throw error
      }
      // The log decides, not the result of this sync: another one, started by a timer, may have pushed or discarded the
      // entries.
      guard let position, try !LocalVault.open(folder).isPublished(position) else { return }
      if try publishedHead(of: folder) != before { lostRaces += 1 }
    }
    throw VaultError(
      .network,
      lostRaces == attempts
        ? "other machines changed membership during all \(attempts) attempts of this one"
        : "the change was discarded \(attempts) times before it was pushed: \(lostRaces) times because other machines changed membership, otherwise because new records of what it removes arrived",
      recoverySuggestion:
        "see with `coffer log` who signed changes, and try again; if a machine does that to prevent its removal, end its access to the remote first; nothing was changed"
    )
  }

  private static let attempts = 8

  /// Returns the end of the log without entries that are not published.
  private static func publishedHead(of folder: VaultFolder) throws(VaultError) -> LogPosition {
    try LocalVault.open(folder).settledMembership().head
  }

  private struct Report: Decodable {
    let membershipObstacle: String?
    let error: VaultError.Report?
  }

  /// Runs a whole sync. A sync that finished and reported problems of the remote counts as done, unless it could not push
  /// this machine's changes of membership.
  package static func sync(
    _ folder: VaultFolder, for audience: Audience = .terminal, arguments: [String] = []
  ) throws {
    let output: Data
    do {
      output = try run(["sync", "--json", "--vault", folder.path] + arguments, for: audience)
    } catch let failure as SyncFailure where failure.exitCode == 6 {
      // If it printed a report, it finished.
      guard let report = try? JSONDecoder().decode(Report.self, from: failure.output), report.error == nil else {
        throw failure
      }
      output = failure.output
    }
    if let obstacle = try? JSONDecoder().decode(Report.self, from: output).membershipObstacle {
      throw VaultError(
        .integrity, "the change of membership was not pushed: \(obstacle)",
        recoverySuggestion:
          "sync again; if that does not help, compare `coffer status` on your machines, or go on with --despite-claims")
    }
  }
}
