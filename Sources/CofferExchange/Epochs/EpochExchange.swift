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
    if let tip = try fetch(next, of: remote) {
      return try adopt(next, at: tip, after: closing, &device, &report)
    }
    if try followLatest(remote, after: remote.branch, &device, &report) { return true }
    report.add(
      "\(url) has lost the branch \(next.name), on which the vault continues: nothing is sent until it is there again")
    return false
  }

  /// Follows the latest epoch that this machine can verify.
  ///
  /// - Parameters:
  ///   - remote: The branches of the remote.
  ///   - current: The branch that this machine follows.
  ///   - device: This machine's keys, which may get more transport keys.
  ///   - report: The report of the sync.
  /// - Returns: Whether this machine follows another epoch now.
  /// - Throws: The errors of git and of the store that are not the remote's fault.
  func followLatest(
    _ remote: RemoteState, after current: EpochBranch, _ device: inout DeviceFile, _ report: inout SyncReport
  ) throws -> Bool {
    for branch in remote.laterEpochs(than: current.epoch) {
      guard let tip = try fetch(branch, of: remote), try RemoteState.isOpened(tip, in: repository) else { continue }
      if try adopt(branch, at: tip, after: nil, &device, &report) { return true }
    }
    return false
  }

  /// Follows the latest epoch, on a machine that has never synced with the remote: it fetches no earlier one.
  ///
  /// - Parameters:
  ///   - current: The branch that this machine follows.
  ///   - device: This machine's keys, which may get more transport keys.
  ///   - report: The report of the sync.
  /// - Returns: Whether this machine follows another epoch now.
  /// - Throws: The errors of git and of the store that are not the remote's fault.
  func followLatest(
    for current: EpochBranch, _ device: inout DeviceFile, _ report: inout SyncReport
  ) throws -> Bool {
    let remote = try RemoteState.fetchLatest(
      from: url, into: repository, limits: connection.limits, cancellation: connection.cancellation,
      progress: steps.receive)
    guard remote.branch.epoch > current.epoch else { return false }
    return try followLatest(remote, after: current, &device, &report)
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
    var importer = Importer(
      local: local, repository: repository, url: url, device: device, unadmittedByteLimit: unadmittedByteLimit,
      logger: logger, report: report, progress: steps.report)
    let isAdopted = try importer.adopt(branch, at: tip, after: closing)
    importer.reportRefusedRecords()
    report = importer.report
    device = importer.device
    guard isAdopted else { return false }
    report.epochs += 1
    if let closing, try !repository.hasEntry(at: RemoteLayout.opened, in: tip) {
      // The machine that began the epoch has not come to this. If the push loses a race, the next sync repeats it.
      try push([(RemoteLayout.opened, closing.file)], onto: tip, of: branch)
    }
    return true
  }

  /// Adds files to a branch. Returns its commit; nil if the remote did not accept it.
  @discardableResult
  func push(
    _ files: [(path: String, bytes: [UInt8])], onto tip: ObjectID?, of branch: EpochBranch
  ) throws(GitError) -> ObjectID? {
    let commit = try repository.commit(adding: files, onto: tip)
    let outcome = try connection.push(commit, to: RemoteLayout.reference(of: branch), mayCreate: tip == nil)
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
