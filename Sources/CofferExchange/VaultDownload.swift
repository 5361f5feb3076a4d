internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferSystem
package import CofferVault
internal import Foundation

/// The first half of a clone: downloads the objects that only the vault key can verify.
package struct VaultDownload {
  /// The maximum number of slots of later roots. Whoever can push could add files.
  private static let rootSlotLimit = 1_024

  private let access: RemoteAccess
  private let limits: TransferLimits
  private let logByteLimit: Int
  private let cancellation: Cancellation
  private let progress: ((TransferProgress) -> Void)?

  /// Creates a download with its limits.
  ///
  /// - Parameters:
  ///   - access: How to reach the remote. Its options are stored for later syncs.
  ///   - limits: The maximum size and time of a transfer; nil for those of `access`.
  ///   - logByteLimit: The maximum size in bytes of the membership log on this machine's disk, 256 MiB by default. Only
  ///     the vault key, which this program does not have, can verify its entries.
  ///   - cancellation: Cancels the download from another thread.
  ///   - progress: Is called while objects arrive; nil for no reports.
  package init(
    access: RemoteAccess = RemoteAccess(), limits: TransferLimits? = nil, logByteLimit: Int = 256 << 20,
    cancellation: Cancellation = Cancellation(),
    progress: ((TransferProgress) -> Void)? = nil
  ) {
    self.access = access
    self.limits = limits ?? access.limits
    self.logByteLimit = logByteLimit
    self.cancellation = cancellation
    self.progress = progress
  }

  /// Fetches the latest epoch of a vault into a folder's cache, and writes its genesis, root slots and membership log to
  /// `incoming`; of an epoch after the first, also the name of its branch and the file with which that begins.
  ///
  /// - Parameters:
  ///   - text: The repository's URL or path.
  ///   - folder: The folder.
  ///   - refused: The names of branches that the caller could not verify: another one is fetched.
  /// - Throws: ``VaultError``: `network`; `integrity` if the repository has no vault.
  package func run(
    from text: String, into folder: VaultFolder, besides refused: [String] = []
  ) throws(VaultError) {
    try translatingAll {
      let url = try RemoteURL(text)
      let repository = try RemoteCache.open(folder, programs: access.programs())
      var refused = Set(refused.compactMap { EpochBranch(name: $0) })
      var first: VaultError?
      while true {
        let remote = try RemoteState.fetchLatest(
          from: url, into: repository, besides: refused, limits: limits, cancellation: cancellation,
          progress: progress)
        guard let tip = remote.tip else {
          let content = remote.foreignContent.map { " but \($0)" } ?? ""
          throw first
            ?? VaultError(
              .integrity, "\(url) contains no vault\(content)",
              recoverySuggestion: "check the URL, and that the other machine has synced (coffer sync)")
        }
        do throws(VaultError) {
          try write(remote.branch, at: tip, of: repository, url, into: folder)
          return FaultPoint.reached(.vaultDownloaded)
        } catch {
          // Whoever may push could have created the branch.
          guard error.code == .integrity, remote.branch != .first else { throw first ?? error }
          first = first ?? error
          refused.insert(remote.branch)
          try FileManager.default.removeItem(at: folder.incoming)
        }
      }
    }
  }

  /// Writes everything of an epoch that a clone verifies.
  private func write(
    _ branch: EpochBranch, at tip: ObjectID, of repository: Repository, _ url: RemoteURL, into folder: VaultFolder
  ) throws(VaultError) {
    try translatingAll {
      try write(Array(url.description.utf8), as: "url", in: folder)
      try access.options.write(to: folder.incoming)
      if branch != .first {
        try write(Array(branch.name.utf8), as: "branch", in: folder)
        let opening = try repository.blob(at: RemoteLayout.opened, in: tip, maximumByteCount: 4_096) ?? []
        try write(opening, as: RemoteLayout.opened, in: folder)
      }
      for name in ["genesis", "root"] {
        try write(repository.vaultFile(name, at: tip, of: url), as: name, in: folder)
      }
      try writeLaterRootSlots(at: tip, of: repository, url, into: folder)
      try writeLog(at: tip, of: repository, url, into: folder)
    }
  }

  /// Writes the slots of roots after the first. Only the vault key and the log show which of them are genuine, so files that
  /// cannot be read or are none are left out.
  private func writeLaterRootSlots(
    at tip: ObjectID, of repository: Repository, _ url: RemoteURL, into folder: VaultFolder
  ) throws {
    var count = 0
    let files = try repository.changes(from: FileTree(), to: tip) { $0 == RemoteLayout.laterRootSlots }
    for file in files {
      guard file.kind == .added, case .laterRootSlot(let hash)? = RemoteLayout.Place(file.path), let blob = file.content
      else { continue }
      let bytes: [UInt8]
      do throws(GitError) {
        bytes = try repository.blob(blob, maximumByteCount: RootSlot.byteLimit)
      } catch {
        guard UnsoundObject(error) != nil else { throw error }
        continue
      }
      count += 1
      guard count <= Self.rootSlotLimit else {
        throw VaultError(
          .integrity, "\(url) is a damaged vault: it has more than \(Self.rootSlotLimit) root slots",
          recoverySuggestion: "sync a machine of the vault, which removes those that are not valid, and try again")
      }
      try write(bytes, as: "roots/\(hash.hex)", in: folder)
    }
  }

  private func writeLog(at tip: ObjectID, of repository: Repository, _ url: RemoteURL, into folder: VaultFolder) throws
  {
    func refusal(_ what: String) -> VaultError {
      VaultError(
        .integrity, "\(url) is a damaged vault: \(what)",
        recoverySuggestion: "check the URL; if it is right, the repository was altered: clone from another copy")
    }
    var byteCount = 0
    for sequence in 1...Limits.position {
      let bytes: [UInt8]?
      do throws(GitError) {
        bytes = try repository.blob(
          at: RemoteLayout.path(ofLogEntry: sequence), in: tip, maximumByteCount: Limits.logEnvelopeByteCount)
      } catch {
        guard let fault = UnsoundObject(error) else { throw error }
        if try isLast(sequence, at: tip, of: repository) { return }
        throw refusal("log entry \(sequence) has \(fault.reason)")
      }
      guard let bytes else { return }
      // No envelope is smaller than the smallest padded size, so many small files count too.
      guard bytes.count >= Padding.paddedByteCount(0), (try? Envelope(bytes: bytes))?.content == .logEntry else {
        if try isLast(sequence, at: tip, of: repository) { return }
        throw refusal("log entry \(sequence) is not a sealed log entry")
      }
      byteCount += bytes.count
      guard byteCount <= logByteLimit else {
        throw refusal("its membership log has more than \(logByteLimit) bytes")
      }
      try write(bytes, as: "log/\(sequence)", in: folder)
    }
  }

  /// Whether no file follows that of an entry, which is not the first. Whoever can push could put a file after the log:
  /// the sync that follows a clone decides what it is, because it can look at everything else.
  private func isLast(_ sequence: UInt64, at tip: ObjectID, of repository: Repository) throws -> Bool {
    guard sequence > 1 else { return false }
    do throws(GitError) {
      let next = RemoteLayout.path(ofLogEntry: sequence + 1)
      return try repository.blob(at: next, in: tip, maximumByteCount: 0) == nil
    } catch {
      guard UnsoundObject(error) != nil else { throw error }
      return false
    }
  }

  private func write(_ bytes: [UInt8], as name: String, in folder: VaultFolder) throws {
    let file = folder.incoming.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(bytes).write(to: file)
  }
}
