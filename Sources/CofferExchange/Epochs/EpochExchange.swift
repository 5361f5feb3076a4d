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

  /// The number of later branches that a sync looks at if the one that this machine follows is there.
  private static let usualCount = 8
  /// The number that it looks at if this machine follows none, or one that the remote has lost.
  private static let maximumCount = 32

  /// What became of the branches of later epochs.
  enum Outcome {
    /// This machine follows another epoch now.
    case followed
    /// A machine of the vault has opened one that cannot be followed now.
    case blocked
    /// None of them is the vault's.
    case none
  }

  /// Follows the closing of this epoch.
  ///
  /// - Parameters:
  ///   - closing: The closing.
  ///   - remote: The branches of the remote.
  ///   - device: This machine's keys, which may get more transport keys.
  ///   - report: The report of the sync.
  /// - Returns: Whether this machine follows another epoch now.
  /// - Throws: The errors of git and of the store that are not the remote's fault.
  func follow(
    _ closing: SealedClosing, _ remote: RemoteState, _ device: inout DeviceFile, _ report: inout SyncReport
  ) throws -> Bool {
    let next = closing.closing.next
    // Whoever may push could have altered or deleted the branch before anybody has followed it.
    if let own = try candidate(for: next), try adopt(next, at: own, after: closing, &device, &report) { return true }
    if let tip = try fetch(next, of: remote) {
      return try adopt(next, at: tip, after: closing, &device, &report)
    }
    if try followLatest(remote, after: remote.branch, &device, &report) == .followed { return true }
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

  /// Follows the latest epoch that this machine can verify.
  ///
  /// - Parameters:
  ///   - remote: The branches of the remote.
  ///   - current: The branch that this machine follows.
  ///   - isBesideOwn: Whether the remote has the branch that this machine follows, too.
  ///   - onlySeenBefore: Whether only branches count that the last sync has seen too.
  ///   - device: This machine's keys, which may get more transport keys.
  ///   - report: The report of the sync.
  /// - Returns: What became of the branches.
  /// - Throws: The errors of git and of the store that are not the remote's fault.
  func followLatest(
    _ remote: RemoteState, after current: EpochBranch, isBesideOwn: Bool = false, onlySeenBefore: Bool = false,
    _ device: inout DeviceFile,
    _ report: inout SyncReport
  ) throws -> Outcome {
    let earlier = report
    // Without a branch of its own, a machine can do nothing else.
    let count = isBesideOwn ? Self.usualCount : Self.maximumCount
    let later = try local.store.read { reader in
      try LaterBranches.choose(
        from: remote, after: current, count: count, onlySeenBefore: onlySeenBefore, reader)
    }
    if isBesideOwn { try later.remember(in: local.store) }
    var refused: [EpochBranch] = []
    var opened: [(branch: EpochBranch, tip: ObjectID)] = []
    for branch in later.candidates {
      do {
        guard let tip = try fetch(branch, of: remote) else { continue }
        if try RemoteState.isOpened(tip, in: repository) {
          opened.append((branch, tip))
        } else {
          refused.append(branch)
        }
      } catch let error as GitError {
        // Whoever may push can create a branch that nobody can fetch.
        guard !connection.cancellation.isCancelled,
          error.isFaultOfObject || [.protocolError, .corrupt].contains(error.code)
        else { throw error }
        report.add(
          "\(url) has a branch \(branch.name) that cannot be fetched: \(error.message)", isUnsoundObject: true)
        refused.append(branch)
      }
    }
    if opened.count > 1 {
      // One log can have what another one lacks: the entry that takes out the machine that has opened a branch.
      for (_, tip) in opened { try importMembership(at: tip, &device, &report) }
    }
    var outcome = Outcome.none
    for (branch, tip) in opened {
      if try adopt(branch, at: tip, after: nil, &device, &report) {
        outcome = .followed
        break
      }
      if try importer(device, report).isOpenedByMachine(branch, at: tip) {
        outcome = .blocked
      } else {
        refused.append(branch)
      }
    }
    try later.refuse(refused, in: local.store)
    // Beside the branch that this machine follows, branches that mislead nobody are no problem.
    if isBesideOwn, outcome != .followed { report.forgetProblems(since: earlier) }
    return outcome
  }

  /// Follows the latest epoch, on a machine that has never synced with the remote: it fetches no earlier one.
  ///
  /// - Parameters:
  ///   - current: The branch that this machine follows.
  ///   - device: This machine's keys, which may get more transport keys.
  ///   - report: The report of the sync.
  /// - Throws: The errors of git and of the store that are not the remote's fault.
  func followLatest(
    for current: EpochBranch, _ device: inout DeviceFile, _ report: inout SyncReport
  ) throws {
    let remote = try RemoteState.list(
      current, at: url, through: repository, limits: connection.limits, cancellation: connection.cancellation)
    _ = try followLatest(remote, after: current, &device, &report)
  }

  private func importer(_ device: DeviceFile, _ report: SyncReport) -> Importer {
    Importer(
      local: local, repository: repository, url: url, device: device, unadmittedByteLimit: unadmittedByteLimit,
      logger: logger, report: report, progress: steps.report)
  }

  private func importMembership(
    at tip: ObjectID, _ device: inout DeviceFile, _ report: inout SyncReport
  ) throws {
    var importer = importer(device, report)
    try importer.importMembership(at: tip)
    (device, report) = (importer.device, importer.report)
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
  ///
  /// - Parameter remote: The branches of the remote.
  /// - Throws: The errors of the store, and a cancellation.
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
