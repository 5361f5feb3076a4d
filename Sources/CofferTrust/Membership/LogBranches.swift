package import CofferFormat

/// The branches of a membership log: the chain of entries that this machine has followed, and valid entries of other
/// branches.
package struct LogBranches: Sendable {
  /// The membership by the whole chain that this machine has followed.
  package private(set) var chain: Membership
  /// The membership that counts: by the whole chain without an incomplete revocation or, if there is a fork, by the entries
  /// before it less everything that either branch removes.
  package private(set) var effective: Membership
  /// The fork, or nil if there is none.
  package private(set) var fork: LogFork?
  /// The entries of other branches that are valid.
  package private(set) var validRivals: Set<EntryHash> = []
  /// Those of ``validRivals`` whose branch counts for nothing: each of its entries so far was withdrawn by its signer, or
  /// one of them is by an admin whom root has removed in the chain; or it leaves the chain before a succession.
  package private(set) var withdrawnRivals: Set<EntryHash> = []
  /// Those of ``withdrawnRivals`` whose branch leaves the chain before a succession: whoever has seen the vault key
  /// replaced follows no branch on which it counts.
  package private(set) var outdatedRivals: Set<EntryHash> = []

  /// The membership on which the next change is based. In a fork, only root can make one, which ends the fork on the
  /// branch that this machine has followed.
  package var continued: Membership { fork == nil ? effective : chain }

  /// Creates the branches of a log that has not forked.
  ///
  /// - Parameters:
  ///   - chain: The membership by the whole chain that this machine has followed.
  ///   - applied: The membership without the first revocation of which a list of records is missing, and without what
  ///     follows it; nil if there is none.
  package init(chain: Membership, applied: Membership? = nil) {
    self.chain = chain
    effective = applied ?? chain.complete
  }

  /// An entry of another branch that is valid.
  private struct Rival {
    let entry: LogEntry
    let membership: Membership
    /// The membership by the entries that its branch and the chain share.
    let shared: Membership
    /// Whether its signer, or that of an entry before it on its branch, is an admin whom root has removed in the chain; or
    /// the branch leaves the chain before a succession.
    let isVoid: Bool
    /// Whether it is void, or every entry of its branch, up to this one, was withdrawn by its signer or has a signer whom
    /// only this branch made an admin.
    let isWithdrawn: Bool
  }

  /// Verifies the entries of other branches.
  ///
  /// - Parameters:
  ///   - chain: The membership by the chain that this machine has followed.
  ///   - applied: As in ``init(chain:applied:)``.
  ///   - entries: The entries of this chain, in ascending order.
  ///   - rivals: Entries of other branches, in ascending order. Those that are not valid, or that do not follow an entry
  ///     which has another successor, are ignored.
  ///   - discarded: Entries that this machine signed, offered to the remote and gave up. The log does not say so yet.
  package init(
    chain: Membership, applied: Membership? = nil, entries: [LogEntry], rivals: [LogEntry],
    discarded: Set<EntryHash> = []
  ) {
    self.init(chain: chain, applied: applied)
    guard !rivals.isEmpty else { return }
    let memberships = Self.memberships(after: Set(rivals.map(\.previous)), entries, of: chain)
    let own = Dictionary(entries.map { ($0.sequence, $0.hash) }) { first, _ in first }
    let rootGeneration = chain.complete.rootGeneration
    var found: [EntryHash: Rival] = [:]
    var ends: Set<EntryHash> = []
    for entry in rivals {
      let before = found[entry.previous]
      guard let parent = before?.membership ?? memberships[entry.previous] else { continue }
      guard before != nil || own[entry.sequence].map({ $0 != entry.hash }) == true else { continue }
      var next = parent
      guard (try? next.apply(entry)) != nil else { continue }
      let shared = before?.shared ?? parent
      // What follows the entry of a removed admin falls with it: otherwise, that admin could get others to sign entries
      // after its own, and nobody could end the fork.
      let isVoid =
        before?.isVoid == true || chain.hasRemoved(entry.signer) || shared.rootGeneration < rootGeneration
      let isGivenUp =
        chain.isWithdrawn(entry.hash, by: entry.signer) || discarded.contains(entry.hash)
        || !shared.isMember(entry.signer)
      let isWithdrawn = isVoid || isGivenUp && before?.isWithdrawn ?? true
      found[entry.hash] = Rival(
        entry: entry, membership: next, shared: shared, isVoid: isVoid, isWithdrawn: isWithdrawn)
      guard !isWithdrawn else { continue }
      ends.remove(entry.previous)
      ends.insert(entry.hash)
    }
    validRivals = Set(found.keys)
    withdrawnRivals = validRivals.filter { found[$0]?.isWithdrawn == true }
    outdatedRivals = withdrawnRivals.filter { (found[$0]?.shared.rootGeneration ?? rootGeneration) < rootGeneration }
    let heads = ends.compactMap { found[$0] }
    guard let shared = heads.map(\.shared).min(by: { $0.head.sequence < $1.head.sequence }) else { return }
    if effective.head.sequence > shared.head.sequence { effective = shared.complete }
    effective.removeAll(of: [chain] + heads.map(\.membership))
    let later = entries.filter { $0.sequence > shared.head.sequence }
    fork = LogFork(
      parent: shared.head,
      heads: [chain.head]
        + heads.map(\.membership.head).sorted { ($0.sequence, $0.hash.raw) < ($1.sequence, $1.hash.raw) },
      isOwnWithdrawn: heads.contains { head in
        head.membership.voids(later)
      },
      // A machine on this branch cannot open the entries of the other one's batch, so one that is not complete counts.
      isOwnOutdated: heads.contains { $0.membership.rootGeneration > $0.shared.rootGeneration })
  }

  /// Returns the membership after each of the given entries of a chain that the caller has verified.
  private static func memberships(
    after hashes: Set<EntryHash>, _ entries: [LogEntry], of chain: Membership
  ) -> [EntryHash: Membership] {
    var found: [EntryHash: Membership] = [:]
    var membership = Membership(genesis: chain.genesis)
    membership.recordLists = chain.recordLists
    if hashes.contains(membership.head.hash) { found[membership.head.hash] = membership }
    for entry in entries {
      guard (try? membership.apply(entry, isVerified: true)) != nil else { break }
      if hashes.contains(entry.hash) { found[entry.hash] = membership }
    }
    return found
  }
}

extension Membership {
  /// Whether the branch of these entries, none of which this membership has, counts for nothing.
  fileprivate func voids(_ entries: [LogEntry]) -> Bool {
    for entry in entries {
      if hasRemoved(entry.signer) { return true }
      guard isWithdrawn(entry.hash, by: entry.signer) else { return false }
    }
    return true
  }
}
