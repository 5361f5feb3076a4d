internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// The first half of a clone: downloads the objects that only the vault key can verify.
package struct VaultDownload {
  /// The maximum number of slots of later roots. An attacker with push access could add files.
  private static let rootSlotLimit = 1_024

  private let access: RemoteAccess
  private let limits: TransferLimits
  private let logByteLimit: Int
  private let cancellation: Cancellation
  private let progress: ((TransferProgress) -> Void)?

  /// Creates a download. The options of `access` are stored for later syncs, and the limits of a transfer are those of
  /// `access` if nil. `logByteLimit` is the maximum size in bytes of the membership log of all branches on this
  /// machine's disk: only the vault key, which this program does not have, can verify its entries. `progress` is called
  /// while objects arrive.
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

  /// Fetches the branches of all epochs into a folder's cache, and writes what a clone verifies to `incoming`: of each
  /// branch the genesis, the root slots, the membership log and the file with which it begins, as they are and as they
  /// were before. An attacker with push access could have altered any of them. Throws `integrity` if the repository has no vault,
  /// or more than a clone reads.
  package func run(from text: String, into folder: VaultFolder) throws(VaultError) {
    try translatingAll {
      let url = try RemoteURL(text)
      let repository = try RemoteCache.open(folder, programs: access.programs())
      let connection = RemoteConnection(url: url, repository: repository, limits: limits, cancellation: cancellation)
      let branches = try RemoteState.list(.first, at: connection).everyBranch(at: url)
      var fetch = BranchFetch(from: connection, progress: progress)
      try fetch.run(branches)
      let tip = try write(fetch.tips, of: repository, url, into: folder, otherwise: fetch.faults.first?.error)
      // The first sync follows one of them, and need not fetch it again.
      if let tip { try repository.setReference(RemoteLayout.cached, to: tip) }
      BranchFetch.forget(in: repository)
      FaultPoint.reached(.vaultDownloaded)
    }
  }

  /// Writes what a clone verifies of the branches that were fetched, as ``run(from:into:)`` does.
  func write(
    _ tips: [EpochBranch: ObjectID], of repository: Repository, _ url: RemoteURL, into folder: VaultFolder,
    otherwise fault: GitError? = nil
  ) throws -> ObjectID? {
    try FileManager.default.createDirectory(
      at: folder.incoming, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(url.description.utf8).write(to: folder.incoming.appending(path: "url"))
    try access.options.write(to: folder.incoming)
    var download = BranchDownload(
      repository: repository, files: IncomingFiles(folder.incoming), rootSlotLimit: Self.rootSlotLimit,
      logByteLimit: logByteLimit, url: url)
    for branch in tips.keys.sorted(by: RemoteState.isLater) {
      if let tip = tips[branch] { try download.write(branch, at: tip) }
    }
    if download.branchCount == 0, let fault { throw fault }
    guard download.branchCount > 0 else {
      throw VaultError(
        .integrity, "\(url) is a damaged vault: it lacks the file genesis",
        recoverySuggestion: "check the URL, or restore the repository")
    }
    return download.latestTip
  }
}

/// Writes what a clone verifies of each branch.
private struct BranchDownload {
  let repository: Repository
  let files: IncomingFiles
  let rootSlotLimit: Int
  let logByteLimit: Int
  let url: RemoteURL
  private(set) var branchCount = 0
  /// The commit of the latest branch that looks as if a machine followed it.
  private(set) var latestTip: ObjectID?
  private var logByteCount = 0
  private var rootSlotCount = 0
  private var written: Set<ObjectID> = []

  init(repository: Repository, files: IncomingFiles, rootSlotLimit: Int, logByteLimit: Int, url: RemoteURL) {
    self.repository = repository
    self.files = files
    self.rootSlotLimit = rootSlotLimit
    self.logByteLimit = logByteLimit
    self.url = url
  }

  private static let names = [
    RemoteLayout.Place.genesis.path, RemoteLayout.Place.rootSlot.path, RemoteLayout.opened, "log",
    RemoteLayout.laterRootSlots,
  ]

  /// Writes the files of a branch. One without a genesis is none of a vault, and is left out.
  mutating func write(_ branch: EpochBranch, at tip: ObjectID) throws {
    let changes = try repository.changes(from: FileTree(), to: tip) { path in
      ["log", RemoteLayout.laterRootSlots].contains(path) || path.hasPrefix("log/")
    }
    let present = changes.compactMap { change in
      change.kind == .added && change.mode == .regular && change.folderOfUnusableName == nil
        ? change.content.map { (path: change.path, content: $0) } : nil
    }
    let former = try repository.formerFiles(of: tip, in: Self.names)
    guard (present + former).contains(where: { $0.path == RemoteLayout.Place.genesis.path }) else { return }
    var lines: [(path: String, name: String, isFormer: Bool)] = []
    for (files, isFormer) in [(present, false), (former, true)] {
      for (path, content) in files {
        guard let place = RemoteLayout.Place(path), try write(place, content) else { continue }
        lines.append((path, content.description, isFormer))
      }
    }
    try files.write(branch: branch.name, files: lines)
    branchCount += 1
    if try latestTip == nil && (branch == .first || RemoteState.isOpened(tip, in: repository)) { latestTip = tip }
  }

  /// Writes the content of a file that a clone verifies. Returns false for another one, and for one that cannot be valid.
  private mutating func write(_ place: RemoteLayout.Place, _ content: ObjectID) throws -> Bool {
    let limit: Int
    switch place {
    case .genesis, .opened: limit = 4_096
    case .rootSlot, .laterRootSlot: limit = RootSlot.byteLimit
    case .logEntry: limit = Limits.logEnvelopeByteCount
    case .recordList, .segment, .checkpoint, .chunk, .closed: return false
    }
    if written.contains(content) { return true }
    guard let bytes = try UnsoundObject.ignoring({ try repository.blob(content, maximumByteCount: limit) }) else {
      return false
    }
    switch place {
    case .logEntry:
      // No envelope is smaller than the smallest padded size, so many small files count too.
      guard bytes.count >= Padding.paddedByteCount(0), (try? Envelope(bytes: bytes))?.content == .logEntry else {
        return false
      }
      logByteCount += bytes.count
      guard logByteCount <= logByteLimit else {
        throw refusal("its membership log has more than \(logByteLimit) bytes")
      }
    case .laterRootSlot:
      rootSlotCount += 1
      guard rootSlotCount <= rootSlotLimit else { throw refusal("it has more than \(rootSlotLimit) root slots") }
    default: break
    }
    try files.write(bytes, named: content.description)
    written.insert(content)
    return true
  }

  private func refusal(_ what: String) -> VaultError {
    VaultError(
      .integrity, "\(url) is a damaged vault: \(what)",
      recoverySuggestion: "sync a machine of the vault, which removes what is not valid, and try again")
  }
}
