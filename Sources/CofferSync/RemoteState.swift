internal import CofferFormat
internal import CofferGit
internal import CofferVault

/// The branches of a remote.
struct RemoteState {
  /// The tip of the vault's branch; nil if the remote has no such branch yet.
  let tip: ObjectID?
  /// Whether the remote already has a branch with a README.
  let hasReadme: Bool

  /// Fetches the vault's branch into the cache.
  ///
  /// - Throws: ``VaultError``: `upgradeNeeded` for a later epoch; `integrity` for a repository of something else.
  static func fetch(
    from url: RemoteURL, into repository: Repository, limits: TransferLimits, cancellation: Cancellation,
    progress: ((TransferProgress) -> Void)?
  ) throws -> RemoteState {
    let references = try repository.fetch(
      from: url, limits: limits, cancellation: cancellation, progress: progress
    ) { _ in [RemoteLayout.branch: RemoteLayout.cached] }
    let branches = references.keys.filter { $0.hasPrefix("refs/heads/") }
    let tip = references[RemoteLayout.branch]
    let hasReadme = branches.contains(RemoteLayout.readmeBranch) || branches.contains("refs/heads/master")
    let epochs = branches.filter { $0.hasPrefix(RemoteLayout.epochPrefix) && $0 != RemoteLayout.branch }
    guard epochs.isEmpty else {
      throw VaultError(
        .upgradeNeeded, "\(url) holds a later epoch of a vault, which this version does not read",
        recoverySuggestion: "upgrade Coffer")
    }
    let foreign = branches.filter { ![RemoteLayout.readmeBranch, "refs/heads/master"].contains($0) }
    guard tip != nil || foreign.isEmpty else {
      throw VaultError(
        .integrity, "\(url) is not a vault: it has \(foreign.count) branches of something else",
        recoverySuggestion: "use a new, empty repository for the vault")
    }
    return RemoteState(tip: tip, hasReadme: hasReadme)
  }

  /// Checks that the branch carries the vault that `genesis` begins.
  ///
  /// - Parameters:
  ///   - tip: The commit of the branch.
  ///   - genesis: The genesis of this vault.
  ///   - repository: The cache.
  ///   - url: The remote, for errors.
  ///   - isKnown: Whether this machine has synced with this remote before. If so, a missing genesis was lost.
  /// - Returns: False if the genesis is missing at a known remote.
  /// - Throws: ``VaultError``: `integrity` for a branch of something else or of another vault.
  static func check(
    _ tip: ObjectID, is genesis: Genesis, in repository: Repository, url: RemoteURL, isKnown: Bool
  ) throws -> Bool {
    let bytes: [UInt8]?
    do throws(GitError) {
      bytes = try repository.blob(at: "genesis", in: tip, maximumByteCount: 4096)
    } catch {
      guard error.isFaultOfObject else { throw error }
      bytes = nil
    }
    guard let bytes else {
      if isKnown { return false }
      throw VaultError(
        .integrity, "\(url) is not a vault: its branch vault-1 has no readable genesis",
        recoverySuggestion: "set another remote, or restore the repository on the host")
    }
    guard bytes != genesis.bytes else { return true }
    let other: Genesis
    do throws(FormatError) {
      other = try Genesis(bytes: bytes)
    } catch {
      throw VaultError(
        .integrity, "\(url) is a damaged vault: \(error)",
        recoverySuggestion: "restore the repository on the host, or set another remote")
    }
    throw VaultError(
      .integrity, "\(url) holds \(other.vault == genesis.vault ? "a forged genesis of this vault" : "another vault")",
      recoverySuggestion: "set the right repository with: coffer remote set URL")
  }
}
