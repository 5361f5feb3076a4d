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
  /// root has rejected it or removed an admin who signed one of them in the chain; or it leaves the chain before a
  /// succession.
  package private(set) var withdrawnRivals: Set<EntryHash> = []
  /// Those of ``withdrawnRivals`` whose branch never counts again, whatever its signers do: they are outdated, or root has
  /// rejected their branch or removed an admin who signed one of them in the chain.
  package private(set) var voidRivals: Set<EntryHash> = []
  /// Those of ``withdrawnRivals`` whose branch root has rejected in the chain.
  package private(set) var rejectedRivals: Set<EntryHash> = []
  /// Those of ``withdrawnRivals`` whose branch leaves the chain before a succession: whoever has seen the vault key
  /// replaced follows no branch on which it counts.
  package private(set) var outdatedRivals: Set<EntryHash> = []

  /// The membership on which the next change is based. In a fork, only root can make one, which ends the fork on the
  /// branch that this machine has followed.
  package var continued: Membership { fork == nil ? effective : chain }

  /// Creates the branches of a log that has not forked. `applied` is the membership without the first revocation of
  /// which a list of records is missing, and without what follows it; nil if there is none.
  package init(chain: Membership, applied: Membership? = nil) {
    self.chain = chain
    effective = applied ?? chain.complete
  }

  /// Verifies the entries of other branches, in ascending order. `chain`, with its `entries` in ascending order, is the
  /// one that this machine has followed, and `applied` is as in ``init(chain:applied:)``. Rivals that are not valid, or
  /// that do not follow an entry which has another successor, are ignored.
  ///
  /// The caller has verified the signatures of `verified` before. This machine signed the `discarded` entries, offered
  /// them to the remote and gave them up, which the log does not say yet.
  package init(
    chain: Membership, applied: Membership? = nil, entries: [LogEntry], rivals: [LogEntry],
    verified: Set<EntryHash> = [], discarded: Set<EntryHash> = []
  ) {
    self.init(chain: chain, applied: applied)
    guard !rivals.isEmpty else { return }
    var fold = RivalFold(chain: chain, entries: entries, rivals: rivals, verified: verified, discarded: discarded)
    fold.addRivals()
    let found = fold.found
    validRivals = Set(found.keys)
    withdrawnRivals = validRivals.filter { found[$0]?.isWithdrawn == true }
    voidRivals = validRivals.filter { found[$0]?.isVoid == true }
    rejectedRivals = validRivals.filter { found[$0]?.isRejected == true }
    outdatedRivals = validRivals.filter { found[$0]?.isOutdated == true }
    let ends = fold.ends.compactMap { found[$0] }
    let heads = ends.compactMap { rival in rival.membership.map { (shared: rival.shared, membership: $0) } }
    guard let shared = heads.map(\.shared).min(by: { $0.head.sequence < $1.head.sequence }) else { return }
    if effective.head.sequence > shared.head.sequence { effective = shared.complete }
    effective.removeAll(of: [chain] + heads.map(\.membership))
    let isHandedOver = heads.contains { $0.membership.rootGeneration > $0.shared.rootGeneration }
    let isOwnHandedOver = chain.successions.contains { $0.position.sequence > shared.head.sequence }
    let later = entries.filter { $0.sequence > shared.head.sequence }
    fork = LogFork(
      parent: shared.head,
      heads: [chain.head]
        + heads.map(\.membership.head).sorted { ($0.sequence, $0.hash.raw) < ($1.sequence, $1.hash.raw) },
      isOwnWithdrawn: heads.contains { head in
        head.membership.voids(later)
      },
      isOwnRejected: ends.contains(where: \.rejectsChain),
      // A machine on this branch cannot open the entries of the other one's batch, so one that is not complete counts.
      isOwnOutdated: isHandedOver && !isOwnHandedOver, isHandedOverTwice: isHandedOver && isOwnHandedOver,
      // A rejected branch from which root has come back is named at both ends: see ``RivalFold``.
      rejectable: fold.ends.union(ends.map(\.first)))
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
