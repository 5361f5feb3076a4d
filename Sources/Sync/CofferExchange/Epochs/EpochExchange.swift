internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Logging

/// What a sync does with the branches of epochs: it follows later ones, and deletes those that this machine leaves
/// behind.
struct EpochExchange: SyncPart {
  let session: SyncSession

  /// The number of other branches that one sync examines, if the branch that this machine follows is there. If this
  /// machine follows none, or one that the remote has lost, it examines all: any of them can be the one that counts.
  private static let usualCount = 32

  /// What became of the branches of later epochs.
  enum Outcome {
    /// This machine follows another epoch now.
    case followed
    /// A machine that may end the epoch has opened one that cannot be followed now.
    case blocked
    /// None of those that were read is the vault's. One that was not could be.
    case unread
    /// Others have deleted one of them meanwhile, perhaps because they have ended its epoch.
    case outdated
    /// None of them is the vault's.
    case none
  }

  /// Follows the closing of this epoch.
  func follow(_ closing: SealedClosing, _ remote: RemoteState, _ others: OtherBranches) throws -> Outcome {
    let next = closing.closing.next
    let isGone = remote.epochs[next] == nil
    if isGone {
      // While this machine began that epoch, or was stopped, others can have ended it too, and deleted its branch.
      let all =
        others.postponedCount > 0 ? try examine(remote, hasOwn: false, acceptsGone: others.acceptsGone) : others
      var found = all.isOutdated ? .outdated : try followLatest(of: all, after: next)
      // Perhaps only this machine has the branch: one that nobody can read must not keep it from pushing it again.
      let isOnlyOversized = found == .unread && !all.mayHideContinuation(after: next.epoch, oversized: false)
      if isOnlyOversized, try candidate(for: next) != nil { found = .none }
      if found == .blocked || found == .unread { reportLost(next, found) }
      if found != .none { return found }
    }
    // An attacker with push access could have altered or deleted the branch before anybody has followed it. If it was
    // there, another machine may end its epoch at this moment, and delete it.
    if let own = try candidate(for: next), try adopt(next, at: own, after: closing, mayCreate: isGone) {
      return .followed
    }
    if let tip = try fetch(next, of: remote) { return try adopt(next, at: tip, after: closing) ? .followed : .blocked }
    if try followLatest(of: others, after: remote.branch) == .followed { return .followed }
    if !isGone { return .outdated }
    report.add(
      .missing,
      """
      \(url) has lost the branch \(next.name), on which the vault continues: nothing is sent until it is there again. The \
      machine that began it pushes it again with its next sync; if that machine is lost, restore the branch on the host, or \
      set a new, empty repository on your machines: coffer remote set URL
      """)
    return .blocked
  }

  /// Names a branch that is gone, and why this machine cannot tell where the vault continues.
  func reportLost(_ branch: EpochBranch, _ found: Outcome) {
    report.add(
      .missing,
      found == .blocked
        ? "\(url) has lost the branch \(branch.name), and the one that continues it cannot be followed: nothing is sent until one of them can be used. Sync a machine that follows that branch, or the one that has begun it; if there is none, delete that branch on the host"
        : "\(url) has lost the branch \(branch.name), and the vault may continue on a branch that was not read: nothing is sent until it was: \(Self.unreadAdvice)"
    )
  }

  /// What to do about branches that may be the vault's and cannot be read.
  static let unreadAdvice =
    "run `coffer sync` again, also over another network; if a branch stays that cannot be read, and no other machine is in its epoch (coffer status), copy the repository, and delete the branch on the host"

  /// The commit of a branch that this machine has begun, if it is in the cache.
  private func candidate(for branch: EpochBranch) throws -> ObjectID? {
    let notes = try local.store.read { try BranchBook.load(from: $0) }.notes
    let note = notes.first { $0.kind == .candidate && $0.branch == branch }
    return try note.flatMap { try repository.isCommit($0.commit) ? $0.commit : nil }
  }

  /// Imports the logs of the branches of other epochs, before anything on them is trusted: one can have the entry that
  /// removes the machine which has opened another. `hasOwn` is whether the branch that this machine follows counts
  /// already and is at the remote. What others delete meanwhile makes the result outdated, and nothing is imported;
  /// with `acceptsGone`, it counts as not read.
  func examine(_ remote: RemoteState, hasOwn: Bool, acceptsGone: Bool = false) throws -> OtherBranches {
    let count = hasOwn ? Self.usualCount : nil
    var others = try local.store.read { try OtherBranches(of: remote, count: count, $0) }
    for branch in others.knownAsOversized {
      reportUnsound("has a branch \(branch.name) that is larger than a transfer may be, and is not fetched again")
    }
    if others.wanted.isEmpty { return others }
    logger.debug("examining other branches", metadata: ["count": "\(others.wanted.count)"])
    var fetch = BranchFetch(from: connection, progress: steps.receive)
    try fetch.run(others.wanted)
    for (branch, tip, error) in fetch.faults {
      // A connection that broke looks the same: the next sync tries again.
      reportUnsound("has a branch \(branch.name) that cannot be fetched: \(error.message)")
      others.unread.append(branch)
      if error.code == .tooLarge, others.isListed(branch, at: tip) { others.oversized.append(branch) }
    }
    if !others.oversized.isEmpty { try others.rememberFinished(in: local.store) }
    others.acceptsGone = acceptsGone
    others.isOutdated = !acceptsGone && fetch.gone.contains { $0.epoch > remote.branch.epoch }
    if others.isOutdated { return others }
    others.unread += fetch.gone
    others.hasMoved = fetch.tips.contains { !others.isListed($0.key, at: $0.value) }
    if others.postponedCount > 0 {
      reportUnsound(
        "has \(others.postponedCount) more branches of epochs than one sync examines: delete those that no machine made"
      )
    }
    let tips = others.wanted.compactMap { branch in fetch.tips[branch].map { (branch: branch, tip: $0) } }
    let earlier = report
    var log = LogImport(session)
    let finished = try log.importOtherLogs(at: tips.map(\.tip), besides: remote.tip)
    // Files on other branches that are not valid mislead nobody. The import of this machine's branch reports a fork.
    report.forgetProblems(since: earlier)
    let opened = try Set(tips.filter { try RemoteState.isOpened($0.tip, in: repository) }.map(\.branch))
    // Others may follow what this machine has begun: it has nothing to delete any more.
    try BranchBook.update(in: local.store) { $0.remove { $0.kind == .begun && opened.contains($0.branch) } }
    for (branch, tip) in tips {
      if opened.contains(branch), branch.epoch >= remote.branch.epoch {
        others.opened.append((branch, tip))
      } else if try branch.epoch > remote.branch.epoch && !opened.contains(branch) && repository.hidesHistory(tip) {
        // What is hidden could have opened it.
        reportUnsound("has a branch \(branch.name) with a commit that cannot be read")
        others.unread.append(branch)
      } else if finished.contains(tip), remote.epochs[branch] == tip {
        others.finished.append(branch)
        if !opened.contains(branch), branch != .first { others.unopened.append((branch, tip)) }
      }
    }
    return others
  }

  /// Follows the latest epoch that this machine can verify, after the branch `current`. With `onlySeenBefore`, only
  /// branches count that the last sync has seen too.
  func followLatest(
    of others: OtherBranches, after current: EpochBranch, onlySeenBefore: Bool = false
  ) throws -> Outcome {
    var outcome = Outcome.none
    for (branch, tip) in others.opened where branch.epoch > current.epoch {
      if onlySeenBefore && !(others.wasSighted(branch) && others.isListed(branch, at: tip)) { continue }
      guard case .counts = try Importer(session).opener(of: branch, at: tip) else { continue }
      guard try adopt(branch, at: tip, after: nil) else {
        outcome = .blocked
        continue
      }
      // The next fetch has nothing to bring.
      try repository.setReference(RemoteLayout.cached, to: tip)
      return .followed
    }
    return outcome == .none && others.mayHideContinuation(after: current.epoch) ? .unread : outcome
  }

  /// Names the branches that no machine has opened which may do that, and remembers that they are to be deleted, and
  /// which of the others need not be examined again. The logs of the branches were imported. `current` is the branch
  /// that this machine follows.
  func settle(_ others: OtherBranches, on current: EpochBranch) throws {
    var others = others
    let importer = Importer(session)
    var void: [(branch: EpochBranch, tip: ObjectID)] = []
    for (branch, tip) in others.opened {
      guard importer.reportVoid(branch, openedBy: try importer.opener(of: branch, at: tip)) else {
        if branch.epoch == current.epoch { reportDivision(current, branch) }
        continue
      }
      if others.isListed(branch, at: tip) { others.finished.append(branch) }
      void.append((branch, tip))
    }
    void += try unneeded(others.unopened, on: current)
    // What another branch of a fork, or a newer program, has begun may count for others.
    if !void.isEmpty, try local.fork() == nil, try importer.log.isLogComplete() {
      try BranchBook.update(in: local.store) { book in
        for (branch, tip) in void { book.insert(branch, at: tip, .void) }
      }
    }
    if !others.finished.isEmpty { try others.rememberFinished(in: local.store) }
  }

  /// Names two branches of one epoch, both of which count: a host that has shown machines different branches has let
  /// each of them end the epoch before. A machine that joins again follows the later of them in the order of branches.
  private func reportDivision(_ current: EpochBranch, _ other: EpochBranch) {
    let stays = RemoteState.isLater(current, than: other)
    report.add(
      .contradiction,
      """
      \(url) has two branches of epoch \(current.epoch), \(current.name), which this machine follows, and \(other.name): it \
      has shown your machines different branches, and divided the vault. Run `coffer clone --rejoin` on \
      \(stays ? "each machine that follows the other one" : "this machine"); when no machine follows \
      \(stays ? other.name : current.name) any more, delete that branch on the host
      """)
  }

  /// Returns the branches that nobody has opened and that no epoch can continue on. A machine that ends the epoch
  /// begins with the branch of the next one, which only somebody with a transport key can make.
  private func unneeded(
    _ unopened: [(branch: EpochBranch, tip: ObjectID)], on current: EpochBranch
  ) throws -> [(branch: EpochBranch, tip: ObjectID)] {
    if unopened.isEmpty { return [] }
    let own = try local.store.read { try BranchBook.load(from: $0) }.branches(.candidate)
    let importer = Importer(session)
    return try unopened.filter { branch, tip in
      if own.contains(branch) || branch == current { return false }
      if try importer.hasCheckpoint(branch, at: tip) { return branch.epoch <= current.epoch }
      return importer.reportVoid(branch, openedBy: .nobody)
    }
  }

  private func fetch(_ branch: EpochBranch, of remote: RemoteState) throws -> ObjectID? {
    guard remote.epochs[branch] != nil else { return nil }
    logger.debug("fetching another epoch", metadata: ["branch": "\(branch.name)"])
    return try RemoteState.fetch(branch, from: connection, progress: steps.receive).tip
  }

  private func adopt(
    _ branch: EpochBranch, at tip: ObjectID, after closing: SealedClosing?, mayCreate: Bool = false
  ) throws -> Bool {
    var importer = Importer(session)
    let isAdopted = try importer.adopt(branch, at: tip, or: candidate(for: branch), after: closing)
    importer.reportRefusedRecords()
    guard isAdopted else { return false }
    report.epochs += 1
    if let closing, try !repository.hasEntry(at: RemoteLayout.opened, in: tip) {
      // The machine that began the epoch has not come to this. If the push loses a race, the next sync repeats it.
      try push([(RemoteLayout.opened, closing.file)], onto: tip, of: branch, mayCreate: mayCreate)
    }
    return true
  }

  /// Adds files to a branch. Returns its commit; nil if the remote did not accept it.
  @discardableResult
  func push(
    _ files: [(path: String, bytes: [UInt8])], onto tip: ObjectID?, of branch: EpochBranch, mayCreate: Bool = false
  ) throws(GitError) -> ObjectID? {
    let commit = try repository.commit(adding: files, onto: tip)
    let outcome = try connection.push(
      commit, to: RemoteLayout.reference(of: branch), mayCreate: mayCreate || tip == nil)
    guard case .accepted = outcome else { return nil }
    return commit
  }

  /// Deletes the branches that nobody needs any more. A host may refuse that: they do no harm.
  func deleteBranches(_ remote: RemoteState, _ others: OtherBranches) throws {
    let known = try local.store.read { try BranchBook.load(from: $0) }
    var left = known
    var names: [String: ObjectID] = [:]
    for note in known.notes where note.kind.isDeletion {
      if let tip = remote.epochs[note.branch], note.branch != remote.branch {
        // What somebody has pushed to a branch since is examined first.
        var mayDelete = tip == note.commit
        switch note.kind {
        case .closed: guard note.branch.epoch < remote.branch.epoch else { continue }
        case .begun:
          // As long as the epoch ends with that commit, a push that was interrupted could still close it.
          guard note.branch.epoch <= remote.branch.epoch || remote.tip != note.commit else { continue }
          // One that was not read could have been opened.
          guard others.wasRead(note.branch) else { continue }
          mayDelete = true
        case .void, .candidate, .examined, .sighted, .oversized: break
        }
        if mayDelete { names[RemoteLayout.reference(of: note.branch)] = tip }
      }
      left.remove { $0 == note }
    }
    guard left != known else { return }
    do throws(GitError) {
      if !names.isEmpty {
        try connection.removeReferences(names)
        FaultPoint.reached(.branchDeleted)
      }
    } catch {
      guard !connection.cancellation.isCancelled else { throw error }
      return logger.debug("deleting branches failed", metadata: ["error": "\(error.message)"])
    }
    try local.store.write { try left.save(to: $0) }
  }
}
