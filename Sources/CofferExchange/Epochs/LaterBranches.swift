internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferVault

/// The branches of later epochs that a remote has beside the one that this machine follows. A host that sets a branch back,
/// and whoever may push, can show this machine a branch on which the epoch has not ended.
struct LaterBranches {
  /// Which of them to look at: not all, because whoever may push could create any number.
  let candidates: [EpochBranch]
  private let all: [EpochBranch: ObjectID]
  /// The commits that belong to no epoch of this vault.
  private let refused: RememberedTips
  /// The names of all branches that could be looked at, as many as are remembered.
  private let names: [String]

  private static let nameCount = 1_024

  /// Chooses the branches to look at.
  ///
  /// - Parameters:
  ///   - remote: The branches of the remote.
  ///   - current: The branch that this machine follows.
  ///   - count: The maximum number of branches.
  ///   - onlySeenBefore: Whether only branches count that were remembered by ``remember(in:)``: a machine that ends the
  ///     epoch begins with the branch of the next one.
  ///   - reader: The store.
  /// - Returns: The branches.
  /// - Throws: The errors of the store.
  static func choose(
    from remote: RemoteState, after current: EpochBranch, count: Int, onlySeenBefore: Bool,
    _ reader: borrowing StoreReader
  ) throws -> LaterBranches {
    let refused = try RememberedTips.load(.refusedBranches, from: reader)
    let begun = Set(try BranchesToDelete.load(from: reader).entries.filter(\.isBegun).map(\.branch))
    let all = remote.epochs.filter { $0.key.epoch > current.epoch }
    var wanted = all.filter { !refused.tips.contains($0.value) && !begun.contains($0.key) }.keys.sorted(
      by: RemoteState.isLater)
    let names = wanted.suffix(nameCount).map(\.name)
    if onlySeenBefore {
      let known = try remembered(reader)
      wanted = wanted.filter { known.contains($0.name) }
    }
    var candidates = RemoteState.candidates(among: wanted, count: count)
    // A new machine has verified the beginning of this one, and might not come across it again.
    let downloaded = try reader.setting(.downloadedBranch).flatMap { String(validating: $0, as: UTF8.self) }
    if let branch = wanted.first(where: { $0.name == downloaded }) {
      candidates = [branch] + candidates.filter { $0 != branch }.prefix(count - 1)
    }
    return LaterBranches(candidates: candidates, all: all, refused: refused, names: names)
  }

  private init(candidates: [EpochBranch], all: [EpochBranch: ObjectID], refused: RememberedTips, names: [String]) {
    self.candidates = candidates
    self.all = all
    self.refused = refused
    self.names = names
  }

  private static func remembered(_ access: borrowing some StoreAccess & ~Copyable) throws -> Set<String> {
    let stored = try access.setting(.sightedBranches) ?? []
    return Set((String(validating: stored, as: UTF8.self) ?? "").split(separator: "\n").map(String.init))
  }

  /// Remembers the branches, so that they count as seen at the next sync.
  func remember(in store: Store) throws {
    guard try store.read({ try Self.remembered($0) }) != Set(names) else { return }
    let bytes = Array(names.joined(separator: "\n").utf8)
    try store.write { try $0.setSetting(.sightedBranches, bytes.isEmpty ? nil : bytes) }
  }

  /// Remembers branches that belong to no epoch of this vault, as they are now.
  func refuse(_ branches: [EpochBranch], in store: Store) throws {
    try refused.adding(branches.compactMap { all[$0] }, keeping: Set(all.values)).save(over: refused, in: store)
  }
}
