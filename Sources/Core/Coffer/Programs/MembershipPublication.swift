package import CofferFormat
package import CofferPlatform
internal import CofferTrust
package import CofferVault

/// Publishes changes of the membership: runs `coffer-sync` until the remote has accepted a change.
package struct MembershipPublication {
  /// Runs `coffer-sync` with arguments and returns its standard output. Throws ``SyncFailure`` if the program fails.
  private let run: (_ arguments: [String]) throws -> Data

  package init(_ run: @escaping (_ arguments: [String]) throws -> Data) { self.run = run }

  /// Publishes for a program. What its syncs find stays unread, because perhaps nobody reads it.
  package static var leavingUnread: MembershipPublication {
    MembershipPublication { try SyncProcess.output(of: $0 + [SyncProcess.leaveUnread]) }
  }

  /// Changes membership. If the vault has a remote, the change is based on the remote's log and repeated until the
  /// remote accepts it.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - change: Makes the change. It receives the number of the attempt, from 1, and returns the position of its last
  ///     entry in the log, or nil if there was nothing to do.
  ///   - install: Writes the keys that the change has made to this machine's files, while other changes still wait.
  /// - Throws: ``SyncFailure``, or a ``VaultError``: `network` if the remote has accepted none of several attempts;
  ///   `busy` if another program changes the membership for a minute.
  package func change(
    _ local: LocalVault, _ change: (_ attempt: Int) throws(VaultError) -> LogPosition?,
    install: () throws(VaultError) -> Void = {}
  ) throws {
    let lock = try FileLock.acquire(
      path: local.folder.membershipLockPath, timeout: .seconds(60), purpose: "change of membership")
    defer { extendLifetime(lock) }
    if try local.remote() != nil {
      try sync(local.folder)
      try pushUntilAccepted(local.folder, change)
    } else {
      _ = try change(1)
    }
    try install()
  }

  /// Registers apps, or makes credentials for them, as ``change(_:_:install:)`` makes a change, and writes the
  /// credentials of the attempt that has been accepted.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - register: Makes the change. It receives the number of the attempt, from 1, and returns the new credentials,
  ///     and the position of its last entry in the log; nil if there was nothing to append.
  /// - Throws: As ``change(_:_:install:)``.
  package func register(
    in local: LocalVault,
    _ register: (_ attempt: Int) throws(VaultError) -> (credentials: [PendingCredential], position: LogPosition?)
  ) throws {
    var credentials: [PendingCredential] = []
    try change(local) { (attempt) throws(VaultError) in
      let registered = try register(attempt)
      credentials = registered.credentials
      return registered.position
    } install: { () throws(VaultError) in
      for credential in credentials { try credential.install(in: local) }
    }
  }

  /// Makes a change and pushes it. If another machine's change came first, makes it again on top of that one. `change`
  /// is as in ``change(_:_:install:)``. Throws `network` if each attempt was discarded.
  package func pushUntilAccepted(
    _ folder: VaultFolder, arguments: [String] = [],
    _ change: (_ attempt: Int) throws(VaultError) -> LogPosition?
  ) throws {
    var lostRaces = 0
    for attempt in 1...Self.attempts {
      let position = try change(attempt)
      let before = try Self.publishedHead(of: folder)
      do {
        try sync(folder, arguments: arguments)
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
      if try Self.publishedHead(of: folder) != before { lostRaces += 1 }
    }
    throw VaultError(
      .network,
      lostRaces == Self.attempts
        ? "other machines changed membership during all \(Self.attempts) attempts of this one"
        : "the change was discarded \(Self.attempts) times before it was pushed: \(lostRaces) times because other machines changed membership, otherwise because new records of what it removes arrived",
      recoverySuggestion:
        "see with `coffer log` who signed changes, and try again; if a machine does that to prevent its removal, end its access to the remote first; nothing was changed"
    )
  }

  private static let attempts = 8

  /// Returns the end of the log without entries that are not published.
  private static func publishedHead(of folder: VaultFolder) throws(VaultError) -> LogPosition {
    try LocalVault.open(folder).publishedMembership().head
  }

  private struct Report: Decodable {
    let membershipObstacle: String?
    let error: VaultError.Report?
  }

  /// Runs a whole sync. A sync that finished and reported problems of the remote counts as done, unless it could not
  /// push this machine's changes of membership.
  package func sync(_ folder: VaultFolder, arguments: [String] = []) throws {
    let output: Data
    do {
      output = try run(["sync", "--json", "--vault", folder.path] + arguments)
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
          "run `coffer sync` on another machine of the vault; if that does not help, compare `coffer status` on your machines, or go on with --despite-claims"
      )
    }
  }
}
