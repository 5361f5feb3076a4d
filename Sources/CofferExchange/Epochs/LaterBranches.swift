internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferVault

/// The branches of later epochs that a remote has beside the one that this machine follows. A host that sets a branch back,
/// and whoever may push, can show this machine a branch on which the epoch has not ended.
struct LaterBranches {
  /// Which of them to look at: at most eight, because whoever may push could create any number.
  let candidates: [EpochBranch]
  private let all: [EpochBranch: ObjectID]
  /// The commits that belong to no epoch of this vault.
  private let refused: RememberedTips

  private static let count = 8

  /// Chooses the branches to look at.
  ///
  /// - Parameters:
  ///   - remote: The branches of the remote.
  ///   - current: The branch that this machine follows.
  ///   - reader: The store.
  /// - Returns: The branches.
  /// - Throws: The errors of the store.
  static func choose(
    from remote: RemoteState, after current: EpochBranch, _ reader: borrowing StoreReader
  ) throws -> LaterBranches {
    let refused = try RememberedTips.load(.refusedBranches, from: reader)
    let begun = Set(try BranchesToDelete.load(from: reader).entries.filter(\.isBegun).map(\.branch))
    let all = remote.epochs.filter { $0.key.epoch > current.epoch }
    let wanted = all.filter { !refused.tips.contains($0.value) && !begun.contains($0.key) }.keys
      .sorted { ($1.epoch, $1.tag) < ($0.epoch, $0.tag) }
    // Any of them can be the genuine one, so each has its turn.
    let first = wanted.prefix(count / 2)
    let others = wanted.dropFirst(count / 2).shuffled().prefix(count / 2)
    return LaterBranches(
      candidates: Array(first) + others.sorted { ($1.epoch, $1.tag) < ($0.epoch, $0.tag) }, all: all, refused: refused)
  }

  private init(candidates: [EpochBranch], all: [EpochBranch: ObjectID], refused: RememberedTips) {
    self.candidates = candidates
    self.all = all
    self.refused = refused
  }

  /// Returns only the branches that the last sync has seen too: a machine that ends the epoch begins with the branch of the
  /// next one. Remembers all of them for the next sync.
  func seenBefore(in store: Store) throws -> LaterBranches {
    let known = try store.read { try $0.setting(.sightedBranches) } ?? []
    let names = Set((String(validating: known, as: UTF8.self) ?? "").split(separator: "\n").map(String.init))
    let sighted = candidates.map(\.name).sorted()
    if Set(sighted) != names {
      try store.write {
        try $0.setSetting(.sightedBranches, sighted.isEmpty ? nil : Array(sighted.joined(separator: "\n").utf8))
      }
    }
    return LaterBranches(candidates: candidates.filter { names.contains($0.name) }, all: all, refused: refused)
  }

  /// Remembers branches that belong to no epoch of this vault, as they are now.
  func refuse(_ branches: [EpochBranch], in store: Store) throws {
    try refused.adding(branches.compactMap { all[$0] }, keeping: Set(all.values)).save(over: refused, in: store)
  }
}
