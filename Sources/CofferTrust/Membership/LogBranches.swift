package import CofferFormat

/// The branches of a membership log: the chain of entries that this machine has followed, and valid entries of other
/// branches.
package struct LogBranches: Sendable {
  /// The membership by the whole chain that this machine has followed.
  package private(set) var chain: Membership
  /// The membership that counts: by the whole chain, or, if there is a fork, by the entries before it. No statement
  /// removes a right yet; those of either branch will count.
  package private(set) var effective: Membership
  /// The fork, or nil if there is none.
  package private(set) var fork: LogFork?
  /// The entries of other branches that are valid.
  package private(set) var validRivals: Set<EntryHash> = []

  /// Creates the branches of a log that has not forked.
  package init(chain: Membership) {
    self.chain = chain
    effective = chain
  }

  /// Verifies the entries of other branches.
  ///
  /// - Parameters:
  ///   - chain: The membership by the chain that this machine has followed.
  ///   - entries: The entries of this chain, in ascending order.
  ///   - rivals: Entries of other branches, in ascending order. Those that are not valid, or that do not follow an entry
  ///     which has another successor, are ignored.
  package init(chain: Membership, entries: [LogEntry], rivals: [LogEntry]) {
    self.init(chain: chain)
    guard !rivals.isEmpty else { return }
    var memberships = Self.memberships(after: Set(rivals.map(\.previous)), entries, genesis: chain.genesis)
    let own = Dictionary(entries.map { ($0.sequence, $0.hash) }) { first, _ in first }
    var heads: [EntryHash: LogPosition] = [:]
    for rival in rivals {
      guard let parent = memberships[rival.previous] else { continue }
      let followsRival = validRivals.contains(rival.previous)
      guard followsRival || own[rival.sequence].map({ $0 != rival.hash }) == true else { continue }
      var next = parent
      guard (try? next.apply(rival)) != nil else { continue }
      memberships[rival.hash] = next
      validRivals.insert(rival.hash)
      heads[rival.previous] = nil
      heads[rival.hash] = next.head
      if !followsRival, parent.head.sequence < effective.head.sequence { effective = parent }
    }
    guard !heads.isEmpty else { return }
    let ends = heads.values.sorted { ($0.sequence, $0.hash.raw) < ($1.sequence, $1.hash.raw) }
    fork = LogFork(parent: effective.head, heads: [chain.head] + ends)
  }

  /// Returns the membership after each of the given entries of a chain that the caller has verified.
  private static func memberships(
    after hashes: Set<EntryHash>, _ entries: [LogEntry], genesis: Genesis
  ) -> [EntryHash: Membership] {
    var found: [EntryHash: Membership] = [:]
    var membership = Membership(genesis: genesis)
    if hashes.contains(membership.head.hash) { found[membership.head.hash] = membership }
    for entry in entries {
      guard (try? membership.apply(entry, isVerified: true)) != nil else { break }
      if hashes.contains(entry.hash) { found[entry.hash] = membership }
    }
    return found
  }
}
