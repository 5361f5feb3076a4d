internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferStore
internal import CofferTrust
package import CofferVault
internal import Foundation
package import Logging

/// Reads a vault from a repository into memory, for a machine that keeps nothing and may write nothing. Everything is
/// verified as in a sync, and nothing is pushed.
package struct RepositoryImport {
  /// What was read.
  package struct Outcome {
    /// The bytes of a store with the vault's objects, see ``Store/openInMemory(image:)``.
    package let image: [UInt8]
    /// The problems of the repository, a line each.
    package let problems: [String]
  }

  private let limits: TransferLimits
  private let cancellation: Cancellation
  private let logger: Logger

  /// Creates an import.
  ///
  /// - Parameters:
  ///   - limits: The maximum size of a transfer.
  ///   - cancellation: Cancels the import from another thread.
  ///   - logger: Receives the steps.
  package init(
    limits: TransferLimits = TransferLimits(), cancellation: Cancellation = Cancellation(), logger: Logger
  ) {
    self.limits = limits
    self.cancellation = cancellation
    self.logger = logger
  }

  /// Reads a repository.
  ///
  /// - Parameters:
  ///   - text: Its URL, or a path: also one that cannot be written, or that belongs to another user. A clone with a working
  ///     tree counts as it was fetched last.
  ///   - keys: The machine's keys, as a device file has them. They are wiped.
  /// - Returns: The store, and the problems that leave the rest usable.
  /// - Throws: ``VaultError``: `network` if there is no repository or it cannot be reached; `integrity` if it has no vault
  ///   or another one; `notEntitled` if the log revokes the machine; `upgradeNeeded`.
  package func run(from text: String, wiping keys: inout [UInt8]) throws(VaultError) -> Outcome {
    let device: DeviceFile
    do throws(FormatError) {
      defer { keys.wipe() }
      device = try DeviceFile(secretBytes: keys)
    } catch {
      throw VaultError(.integrity, "the machine's keys are malformed: \(error)")
    }
    return try translatingAll {
      let url = try RemoteURL(text)
      if let path = url.localPath {
        let repository = try Repository.openReadOnly(at: path)
        return try readLatest(at: url, with: device) { refused in
          (repository, try latest(of: repository, besides: refused))
        }
      }
      let folder = try TemporaryFolder.create()
      defer { folder.remove() }
      let repository = try Repository.open(at: folder.path("repository.git"), creatingIfNeeded: true)
      return try readLatest(at: url, with: device) { refused in
        let state = try RemoteState.fetchLatest(
          from: url, into: repository, besides: refused, limits: limits, cancellation: cancellation, progress: nil)
        return (repository, state)
      }
    }
  }

  /// Reads the latest epoch that can be verified: whoever may push could have created branches that look like later ones.
  private func readLatest(
    at url: RemoteURL, with device: DeviceFile,
    _ choose: (_ refused: Set<EpochBranch>) throws -> (Repository, RemoteState)
  ) throws -> Outcome {
    var refused: Set<EpochBranch> = []
    var first: VaultError?
    while true {
      let (repository, state) = try choose(refused)
      do {
        return try read(repository, state, at: url, with: device)
      } catch let error as VaultError where error.code == .integrity {
        first = first ?? error
        guard state.branch != .first else { throw first ?? error }
        refused.insert(state.branch)
      }
    }
  }

  /// Returns the state of a repository on this machine with the branch of the latest epoch that was opened.
  private func latest(of repository: Repository, besides refused: Set<EpochBranch>) throws -> RemoteState {
    let state = try RemoteState.read(.first, of: repository)
    for branch in RemoteState.candidates(in: state.epochs, besides: refused) {
      guard let tip = state.epochs[branch], try RemoteState.isOpened(tip, in: repository) else { continue }
      return try RemoteState.read(branch, of: repository)
    }
    return state
  }

  private func read(
    _ repository: Repository, _ state: RemoteState, at url: RemoteURL, with device: DeviceFile
  ) throws -> Outcome {
    guard let tip = state.tip else {
      let content = state.foreignContent.map { " but \($0)" } ?? ""
      throw VaultError(
        .integrity, "\(url) contains no vault\(content)",
        recoverySuggestion: "check the URL or path; a clone needs the vault's branches: git clone --bare URL")
    }
    let (genesis, root) = try beginning(at: tip, of: repository, url, pinned: device.genesis)
    let store = try Store.createInMemory(genesis: genesis.bytes, rootSlot: root)
    let local = try LocalVault.open(.inMemory, store: store, device: device)
    try store.write { try $0.setSetting(.remoteURL, Array(url.description.utf8)) }
    var importer = Importer(
      local: local, repository: repository, url: url, device: device,
      unadmittedByteLimit: Limits.unadmittedByteCountPerDevice, logger: logger,
      report: SyncReport(remote: url.description))
    try importer.importNewLog(at: tip)
    if state.branch != .first {
      guard try importer.adopt(state.branch, at: tip, after: nil) else {
        throw VaultError(
          .integrity, importer.report.problems.last ?? "\(url) has an epoch that cannot be verified",
          recoverySuggestion: "check the URL, or let a machine of the vault sync")
      }
      importer = Importer(
        local: local, repository: repository, url: url, device: importer.device,
        unadmittedByteLimit: Limits.unadmittedByteCountPerDevice, logger: logger, report: importer.report)
    }
    try importer.run(at: tip)
    try store.write { writer in
      try writer.setSetting(.remoteTip, tip.bytes)
      try writer.setSetting(.lastSync, Timestamp.now.stored)
    }
    return Outcome(image: try store.image(), problems: importer.report.problems)
  }

  /// Reads the genesis, which the machine's keys pin, and the root slot.
  private func beginning(
    at tip: ObjectID, of repository: Repository, _ url: RemoteURL, pinned: EntryHash
  ) throws -> (genesis: Genesis, root: [UInt8]) {
    let bytes = try repository.vaultFile("genesis", at: tip, of: url)
    let genesis: Genesis
    do throws(FormatError) {
      genesis = try Genesis(bytes: bytes)
    } catch {
      throw VaultError(
        .integrity, "\(url) is a damaged vault: \(error)",
        recoverySuggestion: "check the URL, or restore the repository")
    }
    guard genesis.hash == pinned else {
      throw VaultError(
        .integrity, "\(url) holds another vault than that of the credential",
        recoverySuggestion: "name the repository of the credential's vault in COFFER_REPOSITORY")
    }
    return (genesis, try repository.vaultFile("root", at: tip, of: url))
  }
}
