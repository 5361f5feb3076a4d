package import CofferFormat

/// The log that the branches of a repository show together, beyond what a reader has followed.
///
/// An attacker with push access can show a branch whose log ends before an entry that another branch has, or entries
/// that only a revoked machine's keys make valid. So every entry of every branch is verified, and the chain is chosen
/// that treats all others as a machine that has followed it would: it contains them, or they count for nothing there.
package struct LogUnion: Sendable {
  /// The membership by the whole chain.
  package let chain: Membership
  /// The entries of the chain, from the first on.
  package let entries: [LogEntry]
  /// The fork that remains; nil if all other entries count for nothing.
  package let fork: LogFork?

  /// How many chains are compared with the others. Only an admin or root can create one that comes before the owner's.
  private static let chainCount = 16

  /// Verifies entries and chooses the chain. `start` is the membership by the chain that the reader has followed, that
  /// of the genesis if it has followed none, and `ownEntries` has the entries of this chain from the first on. The
  /// entries that the branches show come in any order, and none of them need be valid.
  ///
  /// `isWanted` tells whether the reader can accept a chain at all; the others are chosen only if there is none.
  /// `isSound` tells whether an entry keeps the rules that the log does not show, given the membership before it.
  package init(
    following start: Membership, ownEntries: [LogEntry], entries: some Sequence<LogEntry>,
    isWanted: (Membership) -> Bool = { _ in true },
    isSound: (LogEntry, Membership) -> Bool = { _, _ in true }
  ) {
    var tree = EntryTree(entries)
    let ends = tree.verifiedEnds(after: start, keeping: Self.chainCount, isWanted: isWanted, isSound: isSound)
    if let end = ends.first, let fork = tree.handoverFork(of: end, after: start.head) {
      self.init(end.membership, ownEntries, tree, fork: fork)
      return
    }
    var first: LogUnion?
    // If the better logs have forked, one that lacks a succession of theirs is no way out: the old root could sign it.
    for end in ends {
      let union = LogUnion(end.membership, ownEntries, tree)
      if union.fork == nil, tree.handoverFork(of: end, after: start.head) == nil {
        self = union
        return
      }
      first = first ?? union
    }
    self = first ?? LogUnion(start, ownEntries, tree)
  }

  private init(_ chain: Membership, _ ownEntries: [LogEntry], _ tree: EntryTree, fork: LogFork? = nil) {
    self.chain = chain
    entries = ownEntries + tree.path(to: chain.head.hash)
    let own = Set(entries.map(\.hash))
    self.fork =
      fork
      ?? LogBranches(
        chain: chain, entries: entries, competingEntries: tree.valid.values.filter { !own.contains($0.hash) }.inOrder,
        verified: Set(tree.valid.keys)
      ).fork
  }
}

/// Entries by the entry that they follow.
private struct EntryTree {
  /// The end of a chain of valid entries that no other one continues.
  struct End {
    let membership: Membership
    let rootEntryCount: Int
    let isWanted: Bool

    /// Whether this end is chosen before another one. Nobody but root can move an end up by its first two numbers.
    func comes(before other: End) -> Bool {
      (isWanted ? 1 : 0, membership.rootGeneration, rootEntryCount, membership.head.sequence)
        > (
          other.isWanted ? 1 : 0, other.membership.rootGeneration, other.rootEntryCount, other.membership.head.sequence
        )
    }
  }

  private var children: [EntryHash: [LogEntry]] = [:]
  private(set) var valid: [EntryHash: LogEntry] = [:]
  /// The successions of the ends, separately for those that are wanted. Of any number of ends, not only of those kept:
  /// whoever has the vault key that was replaced can create as many as it likes.
  private var handovers: [Bool: Set<LogPosition>] = [:]

  init(_ entries: some Sequence<LogEntry>) {
    var seen: Set<[UInt8]> = []
    // Entries with one hash may differ in their signatures, of which only one need be valid.
    for entry in entries where seen.insert(entry.bytes).inserted {
      children[entry.previous, default: []].append(entry)
    }
  }

  /// Verifies every entry after those that it follows, and keeps `count` ends, the one that is chosen first at the
  /// beginning. `isWanted` and `isSound` are those of ``LogUnion``.
  mutating func verifiedEnds(
    after start: Membership, keeping count: Int, isWanted: (Membership) -> Bool,
    isSound: (LogEntry, Membership) -> Bool
  ) -> [End] {
    var ends: [End] = []
    var open: [(membership: Membership, rootEntryCount: Int)] = [(start, 0)]
    while var (membership, rootEntryCount) = open.popLast() {
      while true {
        let next = (children[membership.head.hash] ?? []).filter { isSound($0, membership) }
        // Most entries have one successor: the membership is copied only if there may be more.
        guard next.count > 1 else {
          guard let entry = next.first, (try? membership.apply(entry)) != nil else { break }
          valid[entry.hash] = entry
          rootEntryCount += entry.signer == .root ? 1 : 0
          continue
        }
        var branches: [(membership: Membership, rootEntryCount: Int)] = []
        for entry in next where valid[entry.hash] == nil {
          var branch = membership
          guard (try? branch.apply(entry)) != nil else { continue }
          valid[entry.hash] = entry
          branches.append((branch, rootEntryCount + (entry.signer == .root ? 1 : 0)))
        }
        guard let last = branches.popLast() else { break }
        open += branches
        (membership, rootEntryCount) = last
      }
      let end = End(membership: membership, rootEntryCount: rootEntryCount, isWanted: isWanted(membership))
      handovers[end.isWanted, default: []].formUnion(membership.successions.map(\.position))
      ends.insert(end, at: ends.firstIndex { end.comes(before: $0) } ?? ends.count)
      if ends.count > count { ends.removeLast() }
    }
    return ends
  }

  /// Finds another handover of the vault than those of an end. Each makes the other void, and whoever has the vault key
  /// that was replaced can sign one, so the reader must not choose. The reader has followed the log to `start`. Returns
  /// nil if the end has every handover of the wanted ends and, if it is not wanted itself, of the others, too.
  func handoverFork(of end: End, after start: LogPosition) -> LogFork? {
    let others = (handovers[true] ?? []).union(handovers[end.isWanted] ?? [])
      .subtracting(end.membership.successions.map(\.position))
    guard let other = others.min(by: { ($0.sequence, $0.hash.raw) < ($1.sequence, $1.hash.raw) }) else { return nil }
    let own = Set(path(to: end.membership.head.hash).map(\.hash))
    let shared = path(to: other.hash).last { own.contains($0.hash) }
    return LogFork(
      parent: shared?.position ?? start, heads: [end.membership.head, other], isHandedOverTwice: true)
  }

  /// The valid entries up to one, from the first on.
  func path(to end: EntryHash) -> [LogEntry] {
    var path: [LogEntry] = []
    var next = valid[end]
    while let entry = next {
      path.append(entry)
      next = valid[entry.previous]
    }
    return path.reversed()
  }
}

extension Sequence where Element == LogEntry {
  /// In ascending order of their places, and at one place of their hashes.
  fileprivate var inOrder: [LogEntry] { sorted { ($0.sequence, $0.hash.raw) < ($1.sequence, $1.hash.raw) } }
}
