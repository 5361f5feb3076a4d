package import CofferFormat

/// Verifies entries of other branches of a log, in ascending order. It folds the log once and verifies each entry once,
/// however many there are: an attacker with push access can show any number of them.
package struct CompetingBranchFold: Sendable {
  /// A valid entry of another branch.
  package struct CompetingEntry: Sendable {
    /// The membership by the entries that its branch and the chain share.
    let shared: Membership
    /// The first entry of its branch.
    let first: EntryHash
    /// The entry of the chain in the place of ``first``.
    let displaced: EntryHash
    package let validity: BranchValidity
    /// Whether its branch, up to it, has a statement of root that rejects the chain.
    let rejectsChain: Bool
    /// The succession of the chain that its branch withdraws as root: who signed the succession may have given it up
    /// and repeated it, or somebody has the old root's keys. Nil if there is none.
    package let withdrawnSuccession: Succession?
    /// The membership after it; nil if no entry can follow it in this fold, unless it is an end.
    fileprivate(set) var membership: Membership?
  }

  /// The membership by the chain that this machine has followed.
  package let chain: Membership
  private let rootGeneration: UInt32
  private let entries: [LogEntry]
  private let competingEntries: [LogEntry]
  private let verified: Set<EntryHash>
  private let discarded: Set<EntryHash>
  /// The membership before the place of the next entry, as far as the chain goes.
  private var shared: Membership
  /// The index of the first of ``entries`` that ``shared`` does not have.
  private var index = 0
  private var competingIndex = 0
  /// The entries whose memberships are kept, because others may follow.
  private var recent: [LogPosition] = []
  private(set) var found: [EntryHash: CompetingEntry] = [:]
  /// The last entry of each branch of a fork.
  private(set) var ends: Set<EntryHash> = []

  /// Creates a fold of a log that has not verified anything yet. `chain`, with its `entries` from the first on, is the
  /// one that this machine has followed. Competing entries are in ascending order; the caller has verified the
  /// signatures of `verified` before. This machine signed the `discarded` entries, offered them to the remote and gave
  /// them up, which the log does not say yet.
  package init(
    chain: Membership, entries: [LogEntry], competingEntries: [LogEntry], verified: Set<EntryHash> = [],
    discarded: Set<EntryHash> = []
  ) {
    self.chain = chain
    self.entries = entries
    self.competingEntries = competingEntries
    self.verified = verified
    self.discarded = discarded
    rootGeneration = chain.complete.rootGeneration
    shared = Membership(genesis: chain.genesis)
    shared.recordLists = chain.recordLists
  }

  /// Verifies an entry of another branch. Its sequence must not be less than that of the one before it. Returns nil if
  /// it is not valid, or does not follow an entry that has another successor.
  package mutating func add(_ entry: LogEntry) -> CompetingEntry? {
    addCompetingEntries(through: entry.sequence)
    return verify(entry)
  }

  /// Verifies the competing entries, up to a sequence, that were known when the fold was created.
  mutating func addCompetingEntries(through sequence: UInt64 = .max) {
    while competingIndex < competingEntries.count, competingEntries[competingIndex].sequence <= sequence {
      _ = verify(competingEntries[competingIndex])
      competingIndex += 1
    }
  }

  private mutating func verify(_ entry: LogEntry) -> CompetingEntry? {
    if let known = found[entry.hash] { return known }
    advance(to: entry.sequence)
    let before = found[entry.previous]
    guard let parent = before == nil ? sharedParent(of: entry) : before?.membership else { return nil }
    var next = parent
    guard (try? next.apply(entry, isVerified: verified.contains(entry.hash))) != nil else { return nil }
    let shared = before?.shared ?? parent
    let displaced = before?.displaced ?? entries[index].hash
    let earlier = before?.validity
    var validity: BranchValidity = shared.rootGeneration < rootGeneration ? .outdated : []
    // Root may have ended the fork on both branches, each as often as it has changed its mind. The statement counts
    // that was made in view of the others: it names them.
    let isCounter = Self.rejects(displaced, entry)
    let rejectsChain = isCounter || before?.rejectsChain == true
    // What follows the entry of a removed admin falls with it: otherwise, that admin could get others to sign entries
    // after its own, and nobody could end the fork. Root may not have known of the removal, or have withdrawn it there:
    // two statements of root that contradict each other are a fork, which root can end.
    if entry.signer != .root, earlier?.contains(.removed) == true || chain.hasRemoved(entry.signer) {
      validity.insert(.removed)
    }
    // An old root cannot reject a branch that hands the vault to another one.
    if next.rootGeneration == shared.rootGeneration,
      chain.hasRejected(entry.hash) || !isCounter && earlier?.contains(.rejected) == true
    {
      validity.insert(.rejected)
    }
    let isGivenUp =
      chain.isWithdrawn(entry.hash, by: entry.signer) || discarded.contains(entry.hash)
      || !shared.isMember(entry.signer)
    if isGivenUp, earlier?.counts != true { validity.insert(.withdrawn) }
    let withdrawnSuccession =
      validity.contains(.outdated)
      ? successions(after: shared).first { next.isWithdrawn($0.position.hash, by: .root) } : nil
    let competing = CompetingEntry(
      shared: shared, first: before?.first ?? entry.hash, displaced: displaced, validity: validity,
      rejectsChain: rejectsChain, withdrawnSuccession: withdrawnSuccession, membership: next)
    found[entry.hash] = competing
    recent.append(entry.position)
    if validity.counts {
      ends.remove(entry.previous)
      ends.insert(entry.hash)
    }
    return competing
  }

  /// Whether an entry ends a fork on its own branch, and so rejects the branch of the chain.
  private static func rejects(_ displaced: EntryHash, _ entry: LogEntry) -> Bool {
    // Only an entry of this kind is parsed a second time: an attacker with push access can show any number of others.
    guard entry.kind == Statement.Kind.resolution.rawValue,
      case .resolution(let statement)? = try? Statement.parse(entry)
    else { return false }
    return statement.rejected.contains(displaced)
  }

  /// Folds the chain up to the place before an entry, and drops memberships that no entry from there on can follow:
  /// those of thousands of entries would fill the memory.
  private mutating func advance(to sequence: UInt64) {
    while shared.head.sequence + 1 < sequence, index < entries.count {
      guard (try? shared.apply(entries[index], isVerified: true)) != nil else {
        index = entries.count
        break
      }
      index += 1
    }
    recent.removeAll { position in
      guard position.sequence + 1 < sequence else { return false }
      if !ends.contains(position.hash) { found[position.hash]?.membership = nil }
      return true
    }
  }

  private func successions(after shared: Membership) -> ArraySlice<Succession> {
    chain.complete.successions.dropFirst(shared.successions.count)
  }

  /// Returns the membership before an entry, if it follows the chain in the place of another entry.
  private func sharedParent(of entry: LogEntry) -> Membership? {
    guard shared.head.hash == entry.previous, index < entries.count, entries[index].hash != entry.hash else {
      return nil
    }
    return shared
  }
}
