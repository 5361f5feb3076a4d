internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferVault
internal import Logging

/// What an exchange sends.
extension BranchExchange {
  /// What an attempt to send comes to.
  enum Sending {
    /// Nothing is left to send. The branch is at this commit.
    case done(ObjectID?)
    /// The remote has the log, and segments are to be sent.
    case begun
    case lostRace
  }

  /// Sends what the remote lacks: with a push or, after several lost races, in a lane.
  func send(to remote: RemoteState, _ importer: inout Importer, after earlier: inout Earlier) throws -> Sending {
    guard let outgoing = try sealOutbox(importer) else { return .done(remote.tip) }
    guard !outgoing.files.isEmpty else { return .done(try clean(remote, outgoing, &importer)) }
    let (commit, outcome) = try push(outgoing, onto: remote, importer)
    switch outcome {
    case .accepted:
      try recordPush(of: outgoing, as: commit, &importer)
      return outgoing.isLogFirst && outgoing.membershipCount > 0 ? .begun : .done(commit)
    case .rejected(let reason):
      logger.debug("the push lost the race", metadata: ["reason": "\(reason)"])
      earlier.refusal = (remote.tip, reason)
      // The segments of others wait in their lanes. A machine that has nothing of its own to send stays out of the
      // crowd.
      let isDone =
        try outgoing.isOnlyFolding
        || earlier.lostRaces + 1 >= Self.racesBeforeLane && lanes.park(outgoing, besides: importer.segments.lanes)
      guard isDone else { return .lostRace }
      report.recordsInLanes = outgoing.recordCount
      return .done(remote.tip)
    }
  }

  /// Seals what the remote lacks. Returns nil if it lacks nothing, or if nothing may be sent.
  private func sealOutbox(_ importer: Importer) throws -> OutgoingObjects? {
    guard importer.log.withdrawnSuccession == nil else {
      if try local.store.read({ try $0.hasDrafts() }) {
        report.membershipObstacle =
          "the remote's log withdraws the replacement of the vault key that this machine has seen"
      }
      return nil
    }
    let outgoing = try OutgoingObjects.sealOutbox(
      of: local, device: device, lost: importer.repairs.lost, unresolved: importer.repairs.unresolved)
    report.membershipObstacle = try local.store.read { try $0.hasDrafts() } ? outgoing.logObstacle : nil
    if outgoing.isLogFirst, let obstacle = outgoing.logObstacle {
      report.add(
        .contradiction, "nothing that was written here is sent before the entries of the membership log: \(obstacle)")
    }
    return outgoing.files.isEmpty && !importer.repairs.removesFiles ? nil : outgoing
  }

  /// Removes what is certainly not valid from the remote, so that the next sync does not find it again. A host that
  /// does not accept that, and another machine that pushes first, are no failure: nothing of this machine waits.
  /// Returns the commit at which the branch is.
  private func clean(
    _ remote: RemoteState, _ outgoing: OutgoingObjects, _ importer: inout Importer
  ) throws -> ObjectID? {
    do {
      let (commit, outcome) = try push(outgoing, onto: remote, importer)
      guard case .accepted = outcome else { return remote.tip }
      try recordPush(of: outgoing, as: commit, &importer)
      return commit
    } catch let error as GitError {
      guard !connection.cancellation.isCancelled else { throw error }
      logger.warning("removing files from the remote failed", metadata: ["error": "\(error.message)"])
      return remote.tip
    }
  }

  private func push(
    _ outgoing: OutgoingObjects, onto remote: RemoteState, _ importer: Importer
  ) throws -> (commit: ObjectID, outcome: PushOutcome) {
    if remote.tip == nil, remote.isEmpty { try pushReadme() }
    steps.send()
    logger.debug("pushing", metadata: ["files": "\(outgoing.files.count)"])
    // A file in place of a folder, or a folder in place of a file, must not block the pushes of every machine for ever.
    let commit = try repository.commit(
      adding: outgoing.files, removing: importer.repairs.invalidPaths.sorted(),
      cleaning: importer.repairs.uncleanFolders, onto: remote.tip, replacesObstacles: true)
    FaultPoint.reached(.commitWritten)
    try outgoing.recordOffered(in: local.store)
    let reference = RemoteLayout.reference(of: remote.branch)
    return (commit, try connection.push(commit, to: reference, mayCreate: remote.tip == nil))
  }

  private func recordPush(
    of outgoing: OutgoingObjects, as commit: ObjectID, _ importer: inout Importer
  ) throws {
    FaultPoint.reached(.pushAccepted)
    steps.send(outgoing.files.count, of: outgoing.files.count)
    try repository.setReference(RemoteLayout.cached, to: commit)
    FaultPoint.reached(.pushRecorded)
    report.recordsSent += outgoing.recordCount
    report.membershipSent += outgoing.membershipCount
    if importer.knowsRemote {
      report.repaired += outgoing.repairCount
    } else {
      // The remote is new: nothing was lost there.
      report.recordsSent += outgoing.repairedRecordCount
      report.membershipSent += outgoing.repairedMembershipCount
    }
    report.removed += importer.repairs.invalidPaths.count + importer.repairs.uncleanFolders.count
    try local.store.write { try outgoing.markPublished($0) }
    guard outgoing.membershipCount > 0 else { return }
    // What this machine's own entries permit counts from now on.
    try importer.log.adoptTransportKeys()
    try importer.segments.revalidateRecords()
  }

  /// Pushes the branch with the README. A host may refuse it: the vault does not need it.
  private func pushReadme() throws {
    _ = try connection.push(repository.commitReadme(), to: RemoteLayout.readmeBranch)
  }

  /// The number of lost races after which a sync leaves its segments in a lane.
  private static let racesBeforeLane = 4
}
