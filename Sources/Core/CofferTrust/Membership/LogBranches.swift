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
  package private(set) var rivals: [EntryHash: BranchStanding] = [:]

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
    self.rivals = found.mapValues(\.standing)
    let ends = fold.ends.compactMap { found[$0] }
    let heads = ends.compactMap { rival in rival.membership.map { (shared: rival.shared, membership: $0) } }
    guard let shared = heads.map(\.shared).min(by: { $0.head.sequence < $1.head.sequence }) else { return }
    if effective.head.sequence > shared.head.sequence { effective = shared.complete }
    effective.removeAll(of: [chain] + heads.map(\.membership))
    let isHandedOver = heads.contains { $0.membership.rootGeneration > $0.shared.rootGeneration }
    let isOwnHandedOver = chain.successions.contains { $0.position.sequence > shared.head.sequence }
    let later = entries.filter { $0.sequence > shared.head.sequence }
    var own = heads.reduce(into: BranchStanding()) { $0.formUnion($1.membership.standing(ofBranch: later)) }
    if ends.contains(where: \.rejectsChain) { own.insert(.rejected) }
    // A machine on this branch cannot open the entries of the other one's batch, so one that is not complete counts.
    if isHandedOver, !isOwnHandedOver { own.insert(.outdated) }
    fork = LogFork(
      parent: shared.head,
      heads: [chain.head]
        + heads.map(\.membership.head).sorted { ($0.sequence, $0.hash.raw) < ($1.sequence, $1.hash.raw) },
      own: own, isHandedOverTwice: isHandedOver && isOwnHandedOver,
      // A rejected branch from which root has come back is named at both ends: see ``RivalFold``.
      rejectable: fold.ends.union(ends.map(\.first)))
  }
}

extension Membership {
  /// Why the branch of these entries, none of which this membership has, does not count. Root's statements are not regarded.
  fileprivate func standing(ofBranch entries: [LogEntry]) -> BranchStanding {
    for entry in entries {
      if hasRemoved(entry.signer) { return .removed }
      guard isWithdrawn(entry.hash, by: entry.signer) else { return [] }
    }
    return .withdrawn
  }
}
