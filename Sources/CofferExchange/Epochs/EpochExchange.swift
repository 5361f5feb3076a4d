internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Logging

/// What a sync does with the branches of epochs: it follows later ones, and deletes those that this machine leaves behind.
struct EpochExchange {
  let local: LocalVault
  let connection: RemoteConnection
  let unadmittedByteLimit: Int
  let steps: SyncSteps
  let logger: Logger

  private var url: RemoteURL { connection.url }
  private var repository: Repository { connection.repository }

  /// The number of other branches that one sync examines, if the branch that this machine follows is there.
  private static let usualCount = 32
  /// The number that it examines if this machine follows none, or one that the remote has lost.
  private static let maximumCount = 1_024

  /// What became of the branches of later epochs.
  enum Outcome {
    /// This machine follows another epoch now.
    case followed
    /// A machine that may end the epoch has opened one that cannot be followed now.
    case blocked
    /// None of them is the vault's.
    case none
  }

  /// Follows the closing of this epoch. Returns whether this machine follows another epoch now. Its device keys may get
  /// more transport keys.
  func follow(
    _ closing: SealedClosing, _ remote: RemoteState, _ others: ExaminedBranches, _ device: inout DeviceFile,
    _ report: inout SyncReport
  ) throws -> Bool {
    let next = closing.closing.next
    // An attacker with push access could have altered or deleted the branch before anybody has followed it.
    if let own = try candidate(for: next), try adopt(next, at: own, after: closing, &device, &report) { return true }
    if let tip = try fetch(next, of: remote) {
      return try adopt(next, at: tip, after: closing, &device, &report)
    }
    if try followLatest(of: others, after: remote.branch, &device, &report) == .followed { return true }
    report.add(
      """
      \(url) has lost the branch \(next.name), on which the vault continues: nothing is sent until it is there again. The \
      machine that began it pushes it again with its next sync; if that machine is lost, restore the branch on the host, or \
      set a new, empty repository on your machines: coffer remote set URL
      """)
    return false
  }

  /// The commit of a branch that this machine has begun, if it is in the cache.
  private func candidate(for branch: EpochBranch) throws -> ObjectID? {
    guard let candidate = try local.store.read({ try EpochCandidate.load(from: $0) }), candidate.branch == branch,
      try repository.isCommit(candidate.commit)
    else { return nil }
    return candidate.commit
  }

  /// Imports the logs of the branches of other epochs, before anything on them is trusted: one can have the entry that
  /// removes the machine which has opened another. `hasOwn` is whether the branch that this machine follows counts
  /// already and is at the remote. The device may get more transport keys. The caller must remember the result with
  /// ``remember(_:)``.
  func examine(
    _ remote: RemoteState, hasOwn: Bool, _ device: inout DeviceFile, _ report: inout SyncReport
  ) throws -> ExaminedBranches {
    let count = hasOwn ? Self.usualCount : Self.maximumCount
    let others = try local.store.read { try OtherBranches.choose(from: remote, count: count, $0) }
    var examined = ExaminedBranches(others)
    if others.wanted.isEmpty { return examined }
    logger.debug("examining other branches", metadata: ["count": "\(others.wanted.count)"])
    var fetch = BranchFetch(
      from: url, into: repository, limits: connection.limits, cancellation: connection.cancellation,
      progress: steps.receive)
    try fetch.run(others.wanted)
    for (branch, error) in fetch.faults {
      report.add("\(url) has a branch \(branch.name) that cannot be fetched: \(error.message)", isUnsoundObject: true)
      if let tip = remote.epochs[branch] { examined.finish(tip) }
    }
    if others.postponedCount > 0 {
      report.add(
        "\(url) has \(others.postponedCount) more branches of epochs than one sync examines: delete those that no machine made",
        isUnsoundObject: true)
    }
    let tips = others.wanted.compactMap { branch in fetch.tips[branch].map { (branch: branch, tip: $0) } }
    var importer = importer(device, report)
    let finished = try importer.importOtherLogs(at: tips.map(\.tip), besides: remote.tip)
    // Files on other branches that are not valid mislead nobody. The import of this machine's branch reports a fork.
    importer.report.forgetProblems(since: report)
    (device, report) = (importer.device, importer.report)
    examined.logPlaces = importer.otherLogPlaces
    for (branch, tip) in tips {
      if try branch.epoch >= remote.branch.epoch && RemoteState.isOpened(tip, in: repository) {
        examined.opened.append((branch, tip))
      } else if finished.contains(tip) {
        examined.finish(tip)
      }
    }
    return examined
  }

  /// Follows the latest epoch that this machine can verify, after the branch `current`. With `onlySeenBefore`, only
  /// branches count that the last sync has seen too. The device may get more transport keys.
  func followLatest(
    of others: ExaminedBranches, after current: EpochBranch, onlySeenBefore: Bool = false,
    _ device: inout DeviceFile, _ report: inout SyncReport
  ) throws -> Outcome {
    var outcome = Outcome.none
    for (branch, tip) in others.opened where branch.epoch > current.epoch {
      if onlySeenBefore && !others.branches.wasSighted(branch) { continue }
      guard case .counts = try importer(device, report).opener(of: branch, at: tip) else { continue }
      guard try adopt(branch, at: tip, after: nil, &device, &report) else {
        outcome = .blocked
        continue
      }
      // The next fetch has nothing to bring.
      try repository.setReference(RemoteLayout.cached, to: tip)
      return .followed
    }
    return outcome
  }

  /// Names the branches that no machine has opened which may do that, and remembers that they are to be deleted, and
  /// which of the others need not be examined again. The logs of the branches were imported.
  func settle(_ others: ExaminedBranches, _ device: DeviceFile, _ report: inout SyncReport) throws {
    var finished = others.finished
    var void: [(branch: EpochBranch, tip: ObjectID)] = []
    for (branch, tip) in others.opened {
      var importer = importer(device, report)
      let opener = try importer.opener(of: branch, at: tip)
      guard importer.reportVoid(branch, openedBy: opener) else { continue }
      report = importer.report
      // The file that counts could be behind many others. Such a branch is named at each sync, and stays.
      guard try repository.versions(of: RemoteLayout.opened, in: tip).count < Repository.versionLimit else { continue }
      finished.append(tip)
      void.append((branch, tip))
    }
    // What another branch of a fork, or a newer program, has begun may count for others.
    if !void.isEmpty, try local.fork() == nil, try importer(device, report).isLogComplete() {
      try local.store.write { writer in
        var branches = try BranchesToDelete.load(from: writer)
        for (branch, tip) in void { branches.insert(branch, .void(tip)) }
        try branches.save(to: writer)
      }
    }
    if !finished.isEmpty { try others.branches.remember(finished, in: local.store) }
  }

  private func importer(_ device: DeviceFile, _ report: SyncReport) -> Importer {
    Importer(
      local: local, repository: repository, url: url, device: device, unadmittedByteLimit: unadmittedByteLimit,
      logger: logger, report: report, progress: steps.report)
  }

  private func fetch(_ branch: EpochBranch, of remote: RemoteState) throws -> ObjectID? {
    guard remote.epochs[branch] != nil else { return nil }
    logger.debug("fetching another epoch", metadata: ["branch": "\(branch.name)"])
    return try connection.fetch(branch, progress: steps.receive).tip
  }

  private func adopt(
    _ branch: EpochBranch, at tip: ObjectID, after closing: SealedClosing?, _ device: inout DeviceFile,
    _ report: inout SyncReport
  ) throws -> Bool {
    var importer = importer(device, report)
    let isAdopted = try importer.adopt(branch, at: tip, after: closing)
    importer.reportRefusedRecords()
    report = importer.report
    device = importer.device
    guard isAdopted else { return false }
    report.epochs += 1
    if let closing, try !repository.hasEntry(at: RemoteLayout.opened, in: tip) {
      // The machine that began the epoch has not come to this. If the push loses a race, the next sync repeats it.
      try push([(RemoteLayout.opened, closing.file)], onto: tip, of: branch, mayCreate: true)
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
  func deleteBranches(_ remote: RemoteState) throws {
    let known = try local.store.read { try BranchesToDelete.load(from: $0) }
    guard !known.entries.isEmpty else { return }
    var left = known
    var names: [String: ObjectID] = [:]
    for entry in known.entries {
      guard let tip = remote.epochs[entry.branch], entry.branch != remote.branch else {
        left.remove(entry.branch)
        continue
      }
      switch entry.condition {
      case .closed(let commit):
        guard entry.branch.epoch < remote.branch.epoch else { continue }
        if tip == commit { names[RemoteLayout.reference(of: entry.branch)] = tip }
        left.remove(entry.branch)
      case .begun(let commit):
        // As long as the epoch ends with that commit, a push that was interrupted could still close it.
        guard entry.branch.epoch <= remote.branch.epoch || remote.tip != commit else { continue }
        names[RemoteLayout.reference(of: entry.branch)] = tip
        left.remove(entry.branch)
      case .void(let commit):
        // What somebody has pushed to it since is examined first.
        if tip == commit { names[RemoteLayout.reference(of: entry.branch)] = tip }
        left.remove(entry.branch)
      }
    }
    guard left.entries != known.entries else { return }
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
