internal import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferStore
package import CofferTrust
package import CofferVault

/// Ends a fork of the membership log on the branch that this machine has followed. Only root can: each branch is signed
/// by admins, and none of them is to decide for the others. A branch of which a part is missing ends before that part:
/// see ``StoreRebuild/finish(givingUp:with:)``.
package struct ForkResolution: Sendable {
  private let local: LocalVault

  package init(in local: LocalVault) { self.local = local }

  /// Returns what ending the fork keeps and gives up. If it has ended, and a branch that was given up has keys that
  /// this one lacks, returns which: a machine may have shown them later, or somebody has been removed again meanwhile
  /// who had to be kept from them. Throws `invalidArgument` if the log has not forked and no incomplete revocation can
  /// be given up, and `integrity` if the fork cannot end on this machine's branch, because that counts for nothing or
  /// the vault key was replaced on another one.
  package func preview() throws(VaultError) -> ForkPreview {
    guard let preview = try ForkPreview.read(from: local) else {
      throw VaultError(
        .invalidArgument,
        "the membership log has not forked, and has no incomplete removal to give up, as far as this machine has seen",
        recoverySuggestion: "nothing was changed; to see what other branches the host shows, run: coffer sync")
    }
    if let fork = preview.fork, !fork.isResolvable { throw fork.error }
    return preview
  }

  /// Appends the statement that ends the fork to the log. Call it again if it was not published, because another
  /// machine's entries came first. With `accepted`, which the owner has seen, throws `integrity` if the branches are
  /// others by now. Returns nil if there is nothing to do any more.
  package func run(with vaultKey: VaultKey, accepting accepted: ForkPreview?) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.openRoot(local, vaultKey: vaultKey)
    guard let found = try ForkPreview.read(from: local) else { return nil }
    if let fork = found.fork, !fork.isResolvable { throw fork.error }
    if let accepted, !found.isSame(as: accepted) { throw Self.changedBranches }
    let rejected = try Self.entriesToName(of: found)
    // What other machines claim to have seen is on the branches that are given up.
    return try session.change(allowingLogFork: true) { draft in
      try draft.reject(rejected, with: found.rejectedEntries, as: session.keys, endsFork: found.fork != nil)
    }.position
  }

  /// The error for branches that are not those which the owner has seen.
  static var changedBranches: VaultError {
    VaultError(
      .integrity, "the branches of the membership log have changed since they were shown",
      recoverySuggestion: "look at them again with: coffer log resolve; nothing was changed")
  }

  /// Returns the entries that are named to reject their branches: all, so that machines can say that they have seen
  /// them; or those that matter.
  static func entriesToName(of preview: ForkPreview) throws(VaultError) -> Set<EntryHash> {
    let needed = preview.fork?.rejectable ?? []
    let entries = preview.rejectedEntries + preview.abandonedEntries
    let all = needed.union(entries.map(\.hash))
    if all.count <= Limits.rejectedEntries { return all }
    // A resolution on another branch counts there unless it is named itself.
    let resolutions = entries.filter { $0.kind == Statement.Kind.resolution.rawValue }.map(\.hash)
    let named = needed.union(resolutions)
    if named.count <= Limits.rejectedEntries, !named.isEmpty { return named }
    guard preview.fork != nil else { return Set(all.prefix(Limits.rejectedEntries)) }
    throw VaultError(
      .integrity, "the membership log has more than \(Limits.rejectedEntries / 2) other branches",
      recoverySuggestion: "remove the machine that has signed them: coffer device revoke NAME")
  }
}

/// What ending a fork of the membership log on this machine's branch keeps and gives up; or, after the end of the fork,
/// which keys of the branches that were given up can still be taken over.
package struct ForkPreview: Sendable {
  /// The fork; nil if it has ended.
  package let fork: LogFork?
  /// The entries of this machine's branch after the fork, which count from then on, oldest first.
  package let kept: [LogLine]
  /// The entries of the other branches of the fork, which never count, oldest first.
  package let rejected: [LogLine]
  /// The access groups that another branch created, with their full names, in ascending order: what was written there
  /// does not open on this machine's branch.
  package let groupsGivenUp: [String]
  /// The access groups of which other branches have keys that this one takes over.
  package let groupsRecovered: [String]
  /// The access groups of which it does not take them over: somebody who was removed on another branch can read these
  /// groups here, and must not get the keys that were to keep it out.
  package let groupsWithheld: [String]
  /// The entries of all other branches that are given up, in ascending order.
  let rejectedEntries: [LogEntry]
  /// The entries of this machine's branch that are given up, because a part of the first one is missing: a revocation,
  /// and what follows it, in ascending order. Empty if the branch stays.
  let abandonedEntries: [LogEntry]

  /// The number of the first entry of this machine's branch that is given up; nil if the branch stays.
  package var abandonedFrom: UInt64? { abandonedEntries.first?.sequence }

  /// The number of the last entry that the branches share; nil if the fork has ended.
  package var forkedAfter: UInt64? { fork?.parent.sequence }
  /// Whether root has ended the fork on another branch before.
  package var isOwnRejected: Bool { fork?.own.contains(.rejected) == true }

  /// Whether another preview shows the same branches.
  func isSame(as other: ForkPreview) -> Bool {
    fork?.rejectable == other.fork?.rejectable && fork?.heads.first == other.fork?.heads.first
      && abandonedFrom == other.abandonedFrom
  }

  /// Reads both branches. Returns nil if the log has not forked, is whole, and there is no key to take over.
  package static func read(from local: LocalVault) throws(VaultError) -> ForkPreview? {
    try translatingErrors { try local.store.read { try read(from: local, $0) } }
  }

  private static func read(from local: LocalVault, _ reader: borrowing StoreReader) throws -> ForkPreview? {
    let branches = try local.branches(in: reader)
    let index = try LogIndex.read(from: reader, genesis: branches.chain.genesis)
    let abandoned = try abandonedEntries(of: index, branches.chain, reader)
    let membership = abandoned.isEmpty ? branches.continued : branches.effective
    let fork = expectedFork(of: branches, givingUp: abandoned.map(\.entry))
    let others = try reader.competingEntries().compactMap { try? LogEntry(bytes: $0.entry) }.filter { entry in
      branches.competingEntries[entry.hash].map { $0.counts || $0.contains(.rejected) } ?? false
    }
    let keys = RejectedKeys(of: others + abandoned.map(\.entry), in: membership, at: .now)
    guard fork != nil || !keys.byGroup.isEmpty else { return nil }
    let words = LogWords(index: index, team: branches.chain.team)
    let competingEntries = others.filter { branches.competingEntries[$0.hash]?.contains(.rejected) == false }
      .map { LogIndex.Entry(entry: $0, statement: try? Statement.parse($0), isPublished: true) }
    let rejected = competingEntries + abandoned
    let created = rejected.compactMap { entry in
      if case .groupKey(let statement)? = entry.statement { statement.name } else { nil }
    }
    func names(_ groups: some Sequence<GroupID>) -> [String] {
      groups.compactMap { membership.groups[$0]?.name.description }.sorted()
    }
    let parent = fork?.parent.sequence ?? .max
    let kept = index.entries.dropLast(abandoned.count).filter { $0.entry.sequence > parent }
    return ForkPreview(
      fork: fork, kept: kept.map { words.line(of: $0, isAfterFork: true) },
      rejected: rejected.map { words.line(of: $0, isAfterFork: true) },
      groupsGivenUp: Set(created).sorted(), groupsRecovered: names(keys.byGroup.keys),
      groupsWithheld: names(keys.withheld), rejectedEntries: others, abandonedEntries: abandoned.map(\.entry))
  }

  /// Returns the entries of this machine's branch that can be given up because a part of the first one is missing.
  /// There are none in these cases:
  ///
  /// - The remote does not have the first one. `coffer check` repairs that.
  /// - Somebody else has signed one of the others, and so has seen the first one complete.
  /// - They hand the vault to another vault key, which no statement of root rejects.
  /// - This program does not know what one of them states.
  private static func abandonedEntries(
    of index: LogIndex, _ chain: Membership, _ reader: borrowing StoreReader
  ) throws -> [LogIndex.Entry] {
    guard chain.firstUnknownCritical == nil, let first = chain.firstIncomplete,
      try first <= reader.publishedLogLength()
    else { return [] }
    let entries = index.entries.filter { $0.entry.sequence >= first }
    let isOfOne = Set(entries.map(\.entry.signer)).count == 1
    let isHandover = entries.contains { $0.entry.kind == Statement.Kind.succession.rawValue }
    return isOfOne && !isHandover ? entries : []
  }

  /// The fork as it is if this machine has followed a branch that ends before `abandoned`.
  private static func expectedFork(of branches: LogBranches, givingUp abandoned: [LogEntry]) -> LogFork? {
    guard let first = abandoned.first, let last = abandoned.last else { return branches.fork }
    let known = branches.fork
    return LogFork(
      parent: known?.parent ?? LogPosition(sequence: first.sequence - 1, hash: first.previous),
      heads: known?.heads ?? [branches.chain.head], own: known?.own ?? [],
      isHandedOverTwice: known?.isHandedOverTwice ?? false,
      rejectable: (known?.rejectable ?? []).union([first.hash, last.hash]))
  }
}

/// The keys of groups that branches of the log introduce which root rejects, as far as the log that stays lacks them.
struct RejectedKeys {
  struct Key: Hashable {
    let generation: UInt32
    let commitment: Bytes32
    /// The key, sealed to root.
    let box: [UInt8]
  }

  /// The maximum number of keys of one group: a dishonest admin can make any number, and must not crowd out others.
  private static let keysPerGroup = 64

  /// The keys that readers may get, in ascending order of generation.
  private(set) var byGroup: [GroupID: [Key]] = [:]
  /// The groups that somebody reads who was removed on a rejected branch. The keys that were made there were to keep
  /// this reader out, so they stay closed as long as the log that stays lets it read.
  private(set) var withheld: Set<GroupID> = []

  /// Takes the entries of the branches in ascending order, the membership by the log that stays, and the time at which
  /// the keys would be given.
  init(of entries: [LogEntry], in membership: Membership, at time: Timestamp) {
    var found: [GroupID: Set<Key>] = [:]
    var cut: Set<AuthorID> = []
    for entry in entries {
      switch try? Statement.parse(entry) {
      case .groupKey(let key)?:
        let group = GroupID(vault: membership.vault, name: key.name)
        Self.add(1, key.commitment, key.boxes, to: &found[group, default: []])
      case .groupKeyRenewal(let key)?:
        Self.add(key.generation, key.commitment, key.boxes, to: &found[key.group, default: []])
      case .revocation(let revocation)?: cut.formUnion(revocation.authors.map(\.author))
      default: break
      }
    }
    for (id, keys) in found {
      guard let group = membership.groups[id] else { continue }
      let known = Set(group.recovered.map(\.commitment)).union(group.generations.map(\.commitment))
      let missing = keys.filter { !known.contains($0.commitment) }
      guard !missing.isEmpty else { continue }
      if membership.recipients(of: group.name, at: time).contains(where: cut.contains) {
        withheld.insert(id)
      } else {
        let ordered = missing.sorted { ($0.generation, $0.commitment) < ($1.generation, $1.commitment) }
        byGroup[id] = Array(ordered.prefix(Self.keysPerGroup))
      }
    }
  }

  private static func add(
    _ generation: UInt32, _ commitment: Bytes32, _ boxes: [AddressedBox], to keys: inout Set<Key>
  ) {
    // Two entries with one key are one key, whatever their boxes: the commitment decides.
    guard let box = boxes.first(where: { $0.recipient == .root })?.box,
      !keys.contains(where: { $0.generation == generation && $0.commitment == commitment })
    else { return }
    keys.insert(Key(generation: generation, commitment: commitment, box: box))
  }
}

extension LogDraft {
  /// Ends a fork of the log on the branch of the draft, and lets its readers open what was written under the other
  /// branches' keys. The entries of `rejected` name the branches, which consist of `others`. If the log has not forked,
  /// an entry is made only for keys.
  mutating func reject(
    _ rejected: Set<EntryHash>, with others: [LogEntry], as root: PartyKeys, endsFork: Bool
  ) throws(VaultError) {
    let keys = RejectedKeys(of: others, in: membership, at: time)
    var recovered: [RecoveredKey] = []
    for (id, keys) in keys.byGroup.sorted(by: { $0.key < $1.key }) {
      // Without the group's own keys, nobody could tell which items its others name. The fork ends all the same.
      guard let group = membership.groups[id], let own = newestKeys(of: group, root) else { continue }
      let opened = keys.compactMap { key in
        (try? GroupKeys(group: id, generation: key.generation, secret: root.agreement.open(key.box)))
          .flatMap { $0.commitment == key.commitment && $0.hasIdentity(of: own) ? $0 : nil }
      }
      let newest = try extend(group, to: opened.map(\.generation).max() ?? 0, opening: own, as: root)
      for key in opened where key.generation <= newest.generation {
        recovered.append(
          RecoveredKey(
            group: id, generation: key.generation, commitment: key.commitment, wrappingGeneration: newest.generation,
            wrapped: newest.wrapRecovered(key)))
      }
    }
    guard endsFork || !recovered.isEmpty else { return }
    let statement = ResolutionStatement(
      rejecting: rejected, recovering: Array(recovered.prefix(Limits.recoveredKeys)))
    try append(.resolution(statement), by: .root, key: root.signing)
  }

  /// The maximum number of generations that the end of a fork adds to a group: a dishonest admin may have made any
  /// number.
  private static var addedGenerations: UInt32 { 16 }

  /// Makes further generations of a group's key: a record under a generation that the log does not have would wait for
  /// it.
  private mutating func extend(
    _ group: RegisteredGroup, to last: UInt32, opening newest: GroupKeys, as root: PartyKeys
  ) throws(VaultError) -> GroupKeys {
    let last = min(last, UInt32(group.generations.count) + Self.addedGenerations)
    var (group, newest) = (group, newest)
    while group.generations.count < last {
      let renewal = try renewals(of: [group], by: .root, opening: root.agreement)[0]
      try append(renewal, by: .root, key: root.signing)
      group = membership.groups[group.id] ?? group
      newest = renewal.keys
    }
    return newest
  }

  private func newestKeys(of group: RegisteredGroup, _ root: PartyKeys) -> GroupKeys? {
    try? group.keys(for: .root, opening: root.agreement).last
  }
}
