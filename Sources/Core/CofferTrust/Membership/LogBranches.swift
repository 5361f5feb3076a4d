package import CofferFormat

/// The branches of a membership log: the chain of entries that this machine has followed, and valid entries of other
/// branches.
package struct LogBranches: Sendable {
  /// The membership by the whole chain that this machine has followed.
  package private(set) var chain: Membership
  /// The membership that counts: by the whole chain without an incomplete revocation or, if there is a fork, by the
  /// entries before it less everything that either branch removes.
  package private(set) var effective: Membership
  /// The fork, or nil if there is none.
  package private(set) var fork: LogFork?
  /// The entries of other branches that are valid.
  package private(set) var competingEntries: [EntryHash: BranchValidity] = [:]

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
  /// one that this machine has followed, and `applied` is as in ``init(chain:applied:)``. Competing entries that are
  /// not valid, or that do not follow an entry which has another successor, are ignored.
  ///
  /// The caller has verified the signatures of `verified` before. This machine signed the `discarded` entries, offered
  /// them to the remote and gave them up, which the log does not say yet.
  package init(
    chain: Membership, applied: Membership? = nil, entries: [LogEntry], competingEntries: [LogEntry],
    verified: Set<EntryHash> = [], discarded: Set<EntryHash> = []
  ) {
    self.init(chain: chain, applied: applied)
    guard !competingEntries.isEmpty else { return }
    var fold = CompetingBranchFold(
      chain: chain, entries: entries, competingEntries: competingEntries, verified: verified, discarded: discarded)
    fold.addCompetingEntries()
    let found = fold.found
    self.competingEntries = found.mapValues(\.validity)
    let ends = fold.ends.compactMap { found[$0] }
    let heads = ends.compactMap { competing in competing.membership.map { (shared: competing.shared, membership: $0) } }
    guard let shared = heads.map(\.shared).min(by: { $0.head.sequence < $1.head.sequence }) else { return }
    if effective.head.sequence > shared.head.sequence { effective = shared.complete }
    effective.removeAll(of: [chain] + heads.map(\.membership))
    let isHandedOver = heads.contains { $0.membership.rootGeneration > $0.shared.rootGeneration }
    let isOwnHandedOver = chain.successions.contains { $0.position.sequence > shared.head.sequence }
    let later = entries.filter { $0.sequence > shared.head.sequence }
    var own = heads.reduce(into: BranchValidity()) { $0.formUnion($1.membership.validity(ofBranch: later)) }
    if ends.contains(where: \.rejectsChain) { own.insert(.rejected) }
    // A machine on this branch cannot open the entries of the other one's batch, so one that is not complete counts.
    if isHandedOver, !isOwnHandedOver { own.insert(.outdated) }
    fork = LogFork(
      parent: shared.head,
      heads: [chain.head]
        + heads.map(\.membership.head).sorted { ($0.sequence, $0.hash.raw) < ($1.sequence, $1.hash.raw) },
      own: own, isHandedOverTwice: isHandedOver && isOwnHandedOver,
      // A rejected branch from which root has come back is named at both ends: see ``CompetingBranchFold``.
      rejectable: fold.ends.union(ends.map(\.first)))
  }
}

extension Membership {
  /// Why the branch of these entries, none of which this membership has, does not count. Root's statements are not
  /// regarded.
  fileprivate func validity(ofBranch entries: [LogEntry]) -> BranchValidity {
    for entry in entries {
      if hasRemoved(entry.signer) { return .removed }
      guard isWithdrawn(entry.hash, by: entry.signer) else { return [] }
    }
    return .withdrawn
  }
}

/// A fork of the membership log: two valid entries with one parent. Until root selects a branch, the grants of neither
/// count.
package struct LogFork: Hashable, Sendable {
  /// The last entry that the branches share.
  package let parent: LogPosition
  /// The end of each branch. The first is the one that this machine has followed.
  package let heads: [LogPosition]
  /// Why this machine's branch does not count on machines that have followed another one; empty if it does.
  package let own: BranchValidity

  /// Whether this machine's branch and another one hand the vault to different vault keys. The host can have shown a
  /// part of this machine's only. Nothing in the log tells which one is the owner's.
  package let isHandedOverTwice: Bool

  /// The first and the last entry of each other branch: root names them to end the fork on this machine's branch.
  package let rejectable: Set<EntryHash>

  package init(
    parent: LogPosition, heads: [LogPosition], own: BranchValidity = [], isHandedOverTwice: Bool = false,
    rejectable: Set<EntryHash> = []
  ) {
    self.parent = parent
    self.heads = heads
    self.own = own
    self.isHandedOverTwice = isHandedOverTwice
    self.rejectable = rejectable
  }

  /// Whether this machine's branch counts for nothing on machines that have followed another one.
  package var isOwnVoid: Bool { !isHandedOverTwice && !own.counts }

  /// Whether root can end the fork on this machine's branch. It can take back that it has ended it on another one:
  /// otherwise, nobody could end a fork that was ended on both.
  package var isResolvable: Bool { !isHandedOverTwice && own.subtracting(.rejected).counts }

  /// What has happened, as a clause whose subject is the log.
  package var words: String {
    let ends = heads.map { "entry \($0.sequence) (\($0.phrase))" }.joined(separator: " and ")
    return "the membership log has forked after entry \(parent.sequence): admins signed branches that end with \(ends)"
  }
}

/// Why an entry of another branch of the log does not count, by the chain that a machine has followed. Empty if it
/// counts, and so proves a fork.
package struct BranchValidity: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Every entry of its branch, up to this one, was withdrawn by its signer, or has a signer who is an admin on this
  /// branch only. What follows may count.
  package static let withdrawn = BranchValidity(rawValue: 1)
  /// Root has rejected its branch.
  package static let rejected = BranchValidity(rawValue: 2)
  /// Root has removed the admin who signed it, or one who signed an entry before it on its branch.
  package static let removed = BranchValidity(rawValue: 4)
  /// Its branch leaves the chain before a succession: whoever has seen the vault key replaced follows no branch on
  /// which that did not happen.
  package static let outdated = BranchValidity(rawValue: 8)

  package var counts: Bool { isEmpty }

  /// Whether neither it nor what follows it ever counts, whatever their signers do. Root may still have ended the fork
  /// on a rejected branch as well, which counts.
  package var isVoid: Bool { !isDisjoint(with: [.rejected, .removed, .outdated]) }
}
