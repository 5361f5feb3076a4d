internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
public import CofferVault

/// The result of a verification of a vault's membership log from its genesis on.
///
/// It relies on nothing that this machine has computed before: each entry's signature, hash, place and statement is
/// checked again, and the log is compared with what the machines' segments and the apps' credentials say that it
/// contains.
public struct LogVerification: Hashable, Sendable {
  /// The number of entries that are valid, from the first on.
  public let verifiedCount: Int
  /// The number of entries that this machine has.
  public let entryCount: Int
  /// The phrase of the last valid entry, or of the genesis if none is: machines that show the same phrase have the same
  /// log.
  public let headPhrase: String
  /// The number of the first entry that is missing or not valid; nil if all are valid.
  public let firstInvalidEntry: Int?
  /// What is wrong, each with its recovery suggestion: the first entry that is not valid comes first. Empty if the log
  /// is sound.
  public let problems: [VaultError]

  /// Whether every entry is valid, and nothing contradicts the log.
  public var isSound: Bool { problems.isEmpty }

  /// Verifies the log of a vault. Returns also for a log that is not sound. Throws `integrity` if the store belongs to
  /// another vault than this machine's keys, or cannot be read at all.
  package static func run(in folder: VaultFolder) throws(VaultError) -> LogVerification {
    let pinned = try PinnedStore.open(in: folder)
    return try translatingErrors {
      try pinned.store.read { reader in
        var chain = VerifiedChain(genesis: pinned.genesis)
        let stored = try reader.logEntries(after: 0)
        chain.append(stored)
        var problems = chain.problem.map { [$0] } ?? []
        if try RootSlots.read(from: reader, in: chain.membership.complete).current == nil {
          problems.append(VaultError(.integrity, "the root slot is missing or damaged", recoverySuggestion: repair))
        }
        // What later entries, other machines and apps say cannot be compared with a log that ends early.
        if chain.problem == nil {
          let competingEntries = try reader.competingEntries().compactMap { try? LogEntry(bytes: $0.entry) }
          let branches = LogBranches(
            chain: chain.membership, entries: chain.entries, competingEntries: competingEntries,
            discarded: try WithdrawnLog.load(from: reader).hashes)
          if let fork = branches.fork { problems.append(fork.error) }
          let claims = LogEvidence(
            chain: chain, settled: try reader.settledLogLength(), competing: Set(branches.competingEntries.keys))
          if let count = try reader.summarisedCounts(pinned.device.summaryKey)?.log {
            problems += claims.problems(ofLength: count)
          }
          problems += try claims.problems(ofSegmentsIn: reader, openedBy: pinned.device)
          problems += try claims.problems(ofCredentialsIn: folder)
        }
        return LogVerification(
          verifiedCount: chain.entries.count, entryCount: stored.count, headPhrase: chain.membership.headPhrase,
          firstInvalidEntry: chain.problem.map { _ in chain.entries.count + 1 }, problems: problems)
      }
    }
  }

  /// The recovery suggestion for what the store has lost and the remote may have.
  static let repair = "the store was altered; repair it with: coffer check --repair && coffer sync"
}

/// A chain of log entries, verified one by one from the genesis on, up to the first that is not valid.
struct VerifiedChain {
  private(set) var membership: Membership
  private(set) var entries: [LogEntry] = []
  /// What is wrong with the first entry that is missing or not valid.
  private(set) var problem: VaultError?

  init(genesis: Genesis) { membership = Membership(genesis: genesis) }

  /// Verifies the entries that follow, and stops at the first that is not valid.
  mutating func append(_ stored: [StoredLogEntry]) {
    for row in stored {
      let next = membership.head.sequence + 1
      guard row.sequence == next else {
        let missing =
          row.sequence - 1 == next
          ? "entry \(next) of the membership log is"
          : "entries \(next) to \(row.sequence - 1) of the membership log are"
        problem = VaultError(.integrity, "\(missing) missing", recoverySuggestion: LogVerification.repair)
        return
      }
      do {
        let entry = try LogEntry(bytes: row.entry)
        try membership.apply(entry)
        entries.append(entry)
      } catch {
        let reason = (error as? TrustError)?.detail ?? "it is damaged: \(VaultError(translating: error).message)"
        problem = VaultError(
          .integrity, "entry \(next) of the membership log is not valid: \(reason)",
          recoverySuggestion: LogVerification.repair)
        return
      }
    }
  }

  /// Returns the hash at a place of the chain: that of the genesis at 0; nil beyond the last entry.
  func hash(at sequence: UInt64) -> EntryHash? {
    if sequence == 0 { return membership.genesis.hash }
    guard let index = Int(exactly: sequence), entries.indices.contains(index - 1) else { return nil }
    return entries[index - 1].hash
  }
}

/// What machines and apps state of a membership log, compared with one whose entries are valid: a shortened or
/// exchanged log is valid too.
struct LogEvidence {
  let chain: VerifiedChain
  /// The number of the last entry that does not give way to another machine's.
  let settled: UInt64
  /// The valid entries of other branches, which a fork explains.
  let competing: Set<EntryHash>

  private func comparison(with position: LogPosition) -> StreamComparison {
    if competing.contains(position.hash) { return .held }
    guard let own = chain.hash(at: position.sequence) else { return .missing }
    if own == position.hash { return .held }
    // A later entry is a draft: it gives way to the one that the other machine has seen.
    return position.sequence > settled ? .missing : .different
  }

  /// Returns what is wrong if this machine had more entries before.
  func problems(ofLength count: Int) -> [VaultError] {
    guard count > chain.entries.count else { return [] }
    return [
      VaultError(
        .integrity,
        "the membership log ends at entry \(chain.entries.count), and this machine has had \(count)",
        recoverySuggestion: LogVerification.repair)
    ]
  }

  /// Returns what is wrong by the segments of a store: at most one problem for each machine, about the last entry that
  /// it has seen, and one for segments that cannot be verified.
  func problems(
    ofSegmentsIn reader: borrowing StoreReader, openedBy device: DeviceFile
  ) throws -> [VaultError] {
    var claims: [DeviceID: (position: LogPosition, comparison: StreamComparison)] = [:]
    var unreadable = 0
    for head in try reader.streamHeads() {
      try reader.forEachSegment(of: head.position.stream) { stored in
        guard let segment = stored.segment(openedBy: device) else { return unreadable += 1 }
        // Anybody could sign as a machine that the log does not contain.
        guard let writer = chain.membership.devices[segment.device] else { return }
        guard segment.vault == chain.membership.vault, segment.isSigned(by: writer.keys.verifying) else {
          return unreadable += 1
        }
        guard chain.membership.mayClaim(segment.device) else { return }
        let comparison = comparison(with: segment.log)
        guard comparison != .held, segment.log.sequence > claims[segment.device]?.position.sequence ?? 0 else { return }
        claims[segment.device] = (segment.log, comparison)
      }
    }
    var problems = claims.sorted { $0.key < $1.key }.map { machine, claim in
      let name = chain.membership.name(of: machine)
      return claim.comparison == .different
        ? VaultError(
          .integrity,
          "\(name) has seen another entry \(claim.position.sequence) of the membership log than this machine has",
          recoverySuggestion: "compare `coffer log --verify` on both machines; the host may show them different logs")
        : VaultError(
          .integrity,
          "\(name) has seen entry \(claim.position.sequence) of the membership log, which this machine does not have",
          recoverySuggestion: "sync again; if it stays, the host withholds entries, or \(name) is not honest")
    }
    if unreadable > 0 {
      problems.append(
        VaultError(
          .integrity, "\(counted(unreadable, "segment")) cannot be verified, so what they state of the log is unknown",
          recoverySuggestion: LogVerification.repair))
    }
    return problems
  }

  /// Returns what is wrong by the entries that this machine's apps have seen last. A credential that cannot be read
  /// states nothing.
  func problems(ofCredentialsIn folder: VaultFolder) throws(VaultError) -> [VaultError] {
    var problems: [VaultError] = []
    for name in try folder.credentialNames() {
      guard let credential = try? folder.credentialFile(named: name).read(Credential.self),
        credential.genesis == chain.membership.genesis.hash, comparison(with: credential.seen) != .held
      else { continue }
      problems.append(
        VaultError(
          .integrity,
          "\(name.sanitizedForTerminal()) has seen an entry \(credential.seen.sequence) of the membership log that is not in it",
          recoverySuggestion: "an older or another copy was put in its place; sync, or restore the right folder"))
    }
    return problems
  }
}
