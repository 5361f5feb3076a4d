internal import Coffer
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
public import CofferVault

/// The result of a verification of a vault's membership log from its genesis on.
///
/// It relies on nothing that this machine has computed before: each entry's signature, hash, place and statement is checked
/// again, and the log is compared with what the machines' segments and the apps' credentials say that it contains.
public struct LogVerification: Hashable, Sendable {
  /// The number of entries that are valid, from the first on.
  public let verifiedCount: Int
  /// The number of entries that this machine has.
  public let entryCount: Int
  /// The phrase of the last valid entry, or of the genesis if none is: machines that show the same phrase have the same log.
  public let headPhrase: String
  /// The number of the first entry that is missing or not valid; nil if all are valid.
  public let firstInvalidEntry: Int?
  /// What is wrong, each with its recovery suggestion: the first entry that is not valid comes first. Empty if the log is
  /// sound.
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
          let rivals = try reader.rivals().compactMap { try? LogEntry(bytes: $0.entry) }
          let branches = LogBranches(
            chain: chain.membership, entries: chain.entries, rivals: rivals,
            discarded: try WithdrawnLog.load(from: reader).hashes)
          if let fork = branches.fork { problems.append(fork.error) }
          let claims = LogEvidence(
            chain: chain, published: try reader.publishedLogLength(), known: Set(branches.rivals.keys))
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
