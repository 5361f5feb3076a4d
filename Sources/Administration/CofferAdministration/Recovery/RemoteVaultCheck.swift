public import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault

/// Checks that the vault key and the remote alone recover what this machine has published. It verifies a download as a
/// clone does, reads all contents into memory, and compares them with this machine's store. It changes nothing.
package struct RemoteVaultCheck {
  /// The result of a check.
  package struct Report: Sendable {
    /// The remote's URL.
    package let remote: String
    /// The number of entries of the remote's membership log.
    package let logLength: UInt64
    /// The number of current versions of items that were looked for, deletions included.
    package let versionCount: Int
    /// The number of changes of this machine that are not synced, and were not looked for.
    package let unsyncedCount: Int
    /// What the vault key and the remote do not recover, a noun phrase or a sentence each.
    package let missing: [String]
  }

  private let local: LocalVault
  private let url: String
  /// The folder with the download, whose cache is used again.
  private let staging: VaultFolder
  private let download: VerifiedDownload
  private let root: PartyKeys

  /// Returns the remote's URL. Throws `invalidArgument` if the vault has no remote, or was never synced with it.
  package static func remote(of local: LocalVault) throws(VaultError) -> String {
    let url = try local.requiredRemote()
    guard try local.hasSynced() else {
      throw VaultError(
        .invalidArgument, "the vault was not synced with its remote yet", recoverySuggestion: "run: coffer sync")
    }
    return url
  }

  /// Verifies what was downloaded into `incoming` of a staging folder with the vault key, which opens the newest root
  /// slot that this machine has. Continue with ``run(_:)``. Throws `integrity` if the vault key does not open the
  /// remote's vault, or if its objects are not valid.
  package static func begin(
    in staging: VaultFolder, of local: LocalVault, vaultKey: VaultKey
  ) throws(VaultError) -> RemoteVaultCheck {
    let url = try remote(of: local)
    func failure(_ reason: String) -> VaultError {
      VaultError(
        .integrity, "the vault key does not recover this vault from \(url.sanitizedForTerminal()): \(reason)",
        recoverySuggestion: suggestion)
    }
    let download: VerifiedDownload
    do throws(VaultError) {
      download = try VerifiedDownload.read(from: staging.incoming, vaultKey: vaultKey)
    } catch {
      guard [.integrity, .authenticationFailed].contains(error.code) else { throw error }
      throw failure(error.message)
    }
    guard let root = download.root, try download.genesis.hash == local.membership().genesis.hash else {
      throw failure("it holds another vault")
    }
    return RemoteVaultCheck(local: local, url: url, staging: staging, download: download, root: root)
  }

  /// What to do if something is missing.
  package static let suggestion = "run `coffer sync`, which pushes again what this machine has, and check again"

  /// Reads the contents of the remote, and compares everything with this machine's store. The arguments for
  /// `coffer-sync` say how to reach the remote.
  package func run(_ arguments: [String]) throws(VaultError) -> Report {
    let (contents, problems) = try RepositoryReader.read(
      url, with: download.reader, ["--cache", staging.path] + arguments)
    let unsynced = try unsyncedRecords()
    let (versionCount, lost) = try compareVersions(with: contents, besides: unsynced)
    let missing = try logFindings() + keyFindings() + lost
    return Report(
      remote: url, logLength: download.membership.head.sequence, versionCount: versionCount,
      unsyncedCount: try VaultStatus.read(from: local).unsyncedChanges,
      missing: missing.isEmpty ? [] : missing + problems)
  }

  // MARK: Log and keys

  private func logFindings() throws(VaultError) -> [String] {
    let last = try translatingErrors {
      try local.store.read { try $0.lastPublishedLogEntry() }.map { try LogEntry(bytes: $0.entry).position }
    }
    var findings: [String] = []
    if let last {
      let found = download.log.first { $0.entry.sequence == last.sequence }?.entry.hash
      if found == nil {
        findings.append("the entries of the membership log after \(download.membership.head.sequence)")
      } else if found != last.hash {
        findings.append("entry \(last.sequence) of the membership log as this machine has it")
      }
    }
    for (entry, envelope) in download.log where (try? entry.names(boxesOf: envelope)) != true {
      findings.append(
        "the boxes of entry \(entry.sequence) of the membership log, whose key only later entries lead to")
    }
    return findings
  }

  /// The generations of each group's keys that root opens.
  private func openedGenerations(of group: RegisteredGroup) -> Set<UInt32> {
    Set(((try? group.keys(for: .root, opening: root.agreement)) ?? []).map(\.generation))
  }

  private func keyFindings() -> [String] {
    download.membership.groups.values.sorted { $0.name.description < $1.name.description }.compactMap { group in
      guard let newest = group.generations.last, !openedGenerations(of: group).contains(newest.number) else {
        return nil
      }
      return "the newest key of \(group.name), which the vault key does not open"
    }
  }

  // MARK: Contents

  /// The records in segments that were not pushed yet.
  private func unsyncedRecords() throws(VaultError) -> Set<RecordHash> {
    let device = try local.deviceFile()
    return try translatingErrors {
      try local.store.read { reader in
        let segments = try reader.unpublishedSegments().compactMap { $0.segment(openedBy: device) }
        return Set(segments.flatMap(\.records).compactMap { try? Record(bytes: $0).hash })
      }
    }
  }

  /// Looks for the current versions of this machine's items. A version that the remote knows to be superseded counts as
  /// there.
  private func compareVersions(
    with contents: Store, besides unsynced: Set<RecordHash>
  ) throws(VaultError) -> (count: Int, missing: [String]) {
    let groups = download.membership.groups
    let opened = groups.mapValues { openedGenerations(of: $0) }
    var (count, lost, unopened) = (0, [GroupID: Int](), [GroupID: Int]())
    try translatingErrors {
      try local.store.read { own in
        try contents.write { remote in
          for hash in try own.sharedHeads() where !unsynced.contains(hash) {
            guard let stored = try own.record(hash) else { continue }
            let version = try RecordSkeleton(bytes: stored.signedBytes)
            let group = version.header.group
            count += 1
            if try !remote.isHeld(version) { lost[group, default: 0] += 1 }
            if opened[group]?.contains(version.header.generation) != true { unopened[group, default: 0] += 1 }
          }
        }
      }
    }
    func words(_ numbers: [GroupID: Int], _ end: String) -> [String] {
      numbers.map { group, number in
        "\(counted(number, "current version")) of items in \(groups[group]?.name.description ?? group.description)\(end)"
      }.sorted()
    }
    return (count, words(lost, "") + words(unopened, ", whose keys the vault key does not open"))
  }
}

extension Vault {
  /// Checks that a vault key opens a vault: the newest root slot that this machine has, which is the one that a clone
  /// would open now. A key that another one has replaced does not. Nothing is changed, and no passphrase is needed.
  ///
  /// The library keeps its copy of the key in guarded memory and wipes it. The value that is passed, above all a
  /// `String`, is the caller's.
  ///
  /// - Parameters:
  ///   - vaultKey: The key as text, as `coffer init` has printed it. Case, spaces and hyphens are ignored.
  ///   - location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  /// - Throws: ``VaultError``: `authenticationFailed` for a key that is mistyped, was replaced or does not open the
  ///   vault; `noVault`; `integrity` if the vault's root slot is damaged.
  public static func checkVaultKey(
    _ vaultKey: some SecretValue, at location: VaultLocation? = nil
  ) throws(VaultError) {
    let check = try VaultKeyCheck.begin(in: .at(location))
    var bytes = vaultKey.secretBytes
    _ = try check.root(openedBy: VaultKey.typed(SecretText(moving: &bytes)))
  }
}
