internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
package import CofferVault
package import Logging

/// Reads a vault from a repository into memory, for a machine that keeps nothing and may write nothing. Everything is
/// verified as in a sync, and nothing is pushed.
package struct RepositoryImport {
  /// What was read.
  package struct Outcome {
    /// The bytes of a store with the vault's objects, see ``Store/openInMemory(image:)``.
    package let image: [UInt8]
    /// The problems of the repository, a line each.
    package fileprivate(set) var problems: [String]
  }

  private let access: RemoteAccess
  private let cache: VaultFolder?
  private let cancellation: Cancellation
  private let logger: Logger

  /// Uses the cache of a folder; nil for a temporary one.
  package init(
    access: RemoteAccess = RemoteAccess(), cache: VaultFolder? = nil, cancellation: Cancellation = Cancellation(),
    logger: Logger
  ) {
    self.access = access
    self.cache = cache
    self.cancellation = cancellation
    self.logger = logger
  }

  /// Reads a repository by its URL or path: also one that cannot be written, or that belongs to another user. A clone
  /// with a working tree counts as it was fetched last. The machine's keys, as a device file has them, are wiped.
  ///
  /// Returns the store, and the problems that leave the rest usable. Throws `network` if there is no repository or it
  /// cannot be reached, `integrity` if it has no vault or another one, and `notEntitled` if the log revokes the
  /// machine.
  package func run(from text: String, wiping keys: inout [UInt8]) throws(VaultError) -> Outcome {
    let device: DeviceFile
    do throws(FormatError) {
      defer { keys.wipe() }
      device = try DeviceFile(secretBytes: keys)
    } catch {
      throw VaultError(
        .integrity, "the machine's keys are malformed: \(error)",
        recoverySuggestion: "install the version of coffer-sync that belongs to Coffer")
    }
    return try translatingAll {
      let url = try RemoteURL(text)
      if let path = url.localPath {
        let repository = try Repository.openReadOnly(at: path)
        let state = try RemoteState.read(.first, of: repository)
        _ = try state.everyBranch(at: url)
        return try read(repository, state.epochs, at: url, with: device).outcome()
      }
      if let cache {
        return try fetch(from: access.connect(to: url, cachedIn: cache, cancellation: cancellation), with: device)
      }
      let folder = try TemporaryFolder.create()
      defer { folder.remove() }
      let repository = try Repository.open(
        at: folder.path("repository.git"), creatingIfNeeded: true, programs: access.programs())
      return try fetch(from: connection(url, repository), with: device)
    }
  }

  /// A vault that was read, in a store in memory.
  struct Reading {
    let local: LocalVault
    var problems: [SyncProblem]

    fileprivate func outcome() throws -> Outcome {
      Outcome(image: try local.store.image(), problems: problems.map(\.message))
    }
  }

  private func fetch(from connection: RemoteConnection, with device: DeviceFile) throws -> Outcome {
    let fetch = try BranchFetch.all(from: connection)
    if fetch.tips.isEmpty, let fault = fetch.faults.first { throw fault.error }
    var outcome = try read(connection.repository, fetch.tips, at: connection.url, with: device).outcome()
    outcome.problems += fetch.faultLines
    return outcome
  }

  /// Imports the log of all branches, and then the latest branch that a machine has begun which may do that by this
  /// log: an attacker with push access could have created branches that look like those of later epochs.
  func read(
    _ repository: Repository, _ branches: [EpochBranch: ObjectID], at url: RemoteURL, with device: DeviceFile
  ) throws -> Reading {
    let ordered = branches.sorted { RemoteState.isLater($0.key, than: $1.key) }
    let own = try ordered.filter { try RemoteState.isBranch($0.value, ofVault: device.genesis, in: repository) }
    guard let (first, firstTip) = own.first ?? ordered.first else {
      throw VaultError.damagedVault(url, "its branches were deleted")
    }
    let (genesis, root) = try beginning(at: firstTip, of: repository, url, pinned: device.genesis)
    logger.debug("reading", metadata: ["branches": "\(own.count)", "latest": "\(first.name)"])
    let store = try Store.createInMemory(genesis: genesis.bytes, rootSlot: root)
    let local = try LocalVault.open(.inMemory, store: store, device: device)
    try store.write { try $0.setSetting(.remoteURL, Array(url.description.utf8)) }
    let session = SyncSession(
      local, connection(url, repository), device: device, unadmittedByteLimit: Limits.unadmittedByteCountPerDevice,
      logger: logger)
    var importer = Importer(session)
    try importer.log.importNewLog(at: own.map(\.value))
    let tip = try follow(own, &importer)
    // What somebody has altered or removed since, the history still has.
    for commit in try importer.commitsBeforeLosses(in: tip) {
      importer = Importer(session)
      try importer.importHistory(at: commit)
    }
    importer = Importer(session)
    try importer.run(at: tip)
    try store.write { writer in
      try writer.setSetting(.remoteTip, tip.bytes)
      try writer.setSetting(.lastSync, Timestamp.now.stored)
    }
    return Reading(local: local, problems: session.report.problems)
  }

  private func connection(_ url: RemoteURL, _ repository: Repository) -> RemoteConnection {
    RemoteConnection(url: url, repository: repository, limits: access.limits, cancellation: cancellation)
  }

  /// Follows the latest branch that counts. Returns its commit.
  private func follow(_ branches: [(key: EpochBranch, value: ObjectID)], _ importer: inout Importer) throws -> ObjectID
  {
    let opened = try branches.filter { branch, tip in
      guard try branch != .first && RemoteState.isOpened(tip, in: importer.repository) else { return false }
      return try !importer.reportVoid(branch, openedBy: importer.opener(of: branch, at: tip))
    }
    for (branch, tip) in opened where try importer.adopt(branch, at: tip, after: nil) { return tip }
    if let first = branches.first(where: { $0.key == .first }) { return first.value }
    throw VaultError(
      .integrity,
      importer.report.problems.last?.message ?? "\(importer.url) has no branch that a machine of the vault has begun",
      recoverySuggestion: "check the URL, or let a machine of the vault sync")
  }

  /// Reads the genesis, which the machine's keys pin, and the root slot.
  private func beginning(
    at tip: ObjectID, of repository: Repository, _ url: RemoteURL, pinned: EntryHash
  ) throws -> (genesis: Genesis, root: [UInt8]) {
    var isOther = false
    let found = try repository.firstVersion(of: RemoteLayout.Place.genesis.path, in: tip) { bytes -> Genesis? in
      guard let genesis = try? Genesis(bytes: bytes) else { return nil }
      isOther = true
      return genesis.hash == pinned ? genesis : nil
    }
    guard let genesis = found else {
      guard !isOther else {
        throw VaultError(
          .integrity, "\(url) holds another vault than that of the credential",
          recoverySuggestion: "name the repository of the credential's vault in COFFER_REPOSITORY")
      }
      throw VaultError.damagedVault(url, "it has no file genesis that can be read")
    }
    let slot = try repository.firstVersion(of: RemoteLayout.Place.rootSlot.path, in: tip) { bytes in
      (try? RootSlot.first(bytes: bytes, of: genesis)) != nil ? bytes : nil
    }
    guard let root = slot else { throw VaultError.damagedVault(url, "it has no file root that can be read") }
    return (genesis, root)
  }
}

/// A folder for this process alone, for objects that are sealed.
struct TemporaryFolder {
  private let folder: String

  /// Creates the folder, with mode 0700, in `parent`: by default, where the system keeps temporary files.
  static func create(in parent: URL = FileManager.default.temporaryDirectory) throws(VaultError) -> TemporaryFolder {
    let parent = parent.path(percentEncoded: false)
    var template = Array("\(parent)/coffer-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw systemFailure("create a folder in \(parent)") }
    return TemporaryFolder(folder: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Deletes the folder with everything in it.
  func remove() { try? removeTree(folder) }
}

extension Repository {
  /// Reads a small file of a commit; nil if it is missing, or at fault itself.
  func soundBlob(at path: String, in tip: ObjectID, maximumByteCount: Int = 4_096) throws(GitError) -> [UInt8]? {
    try GitError.ignoringFaults { () throws(GitError) in
      try blob(at: path, in: tip, maximumByteCount: maximumByteCount)
    } ?? nil
  }

  /// The files at the root that a branch begins with.
  private static let rootFiles = [
    RemoteLayout.Place.genesis.path, RemoteLayout.Place.rootSlot.path, RemoteLayout.opened,
  ]

  /// Returns the first of the files that a branch has at a path at the root, and has had there, which `body` accepts:
  /// that of `tip` first, then the latest. An attacker with push access can replace a file; the history keeps it,
  /// behind any number of others. Files larger than `maximumByteCount` are left out. Branches that share a history
  /// share the cost.
  func firstVersion<Found>(
    of path: String, in tip: ObjectID, maximumByteCount: Int = 4_096, _ body: ([UInt8]) throws -> Found?
  ) throws -> Found? {
    if let file = try soundBlob(at: path, in: tip, maximumByteCount: maximumByteCount), let found = try body(file) {
      return found
    }
    for content in try contents(of: path, among: Self.rootFiles, in: tip) {
      if let file = try file(content, among: Self.rootFiles, maximumByteCount: maximumByteCount),
        let found = try body(file)
      {
        return found
      }
    }
    return nil
  }
}
