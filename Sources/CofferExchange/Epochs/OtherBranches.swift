internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferVault

/// The branches of epochs that a remote has beside the one that this machine follows. Their logs are parts of the vault's
/// log: an attacker with push access can show a branch that lacks an entry which another branch has. And a host that sets a
/// branch back, and an attacker with push access, can show this machine a branch on which the epoch has not ended.
struct OtherBranches {
  /// Those to examine now, the latest first: not all, because an attacker with push access could create any number.
  let wanted: [EpochBranch]
  /// The number of others that have not been examined.
  let postponedCount: Int
  private let all: [EpochBranch: ObjectID]
  /// The commits that need not be examined again.
  private let examined: RememberedTips
  /// The names of the later branches that the last sync has seen.
  private let sighted: Set<String>
  /// The branches that this machine has begun for an epoch which another one has begun before it.
  private let begun: Set<EpochBranch>

  private static let nameCount = 1_024

  /// Chooses at most `count` branches to examine.
  static func choose(
    from remote: RemoteState, count: Int, _ reader: borrowing StoreReader
  ) throws -> OtherBranches {
    let examined = try RememberedTips.load(.examinedBranches, from: reader)
    let begun = Set(try BranchesToDelete.load(from: reader).entries.filter(\.isBegun).map(\.branch))
    let all = remote.epochs.filter { $0.key != remote.branch }
    let unknown = all.filter { !examined.tips.contains($0.value) && !begun.contains($0.key) }.keys.sorted(
      by: RemoteState.isLater)
    // A new machine has verified the beginning of this one, and might not come across it again.
    let downloaded = try reader.setting(.downloadedBranch).flatMap { String(validating: $0, as: UTF8.self) }
    let first = unknown.filter { $0.name == downloaded }
    let wanted = first + choose(among: unknown.filter { $0.name != downloaded }, count: max(0, count - first.count))
    return OtherBranches(
      wanted: wanted, postponedCount: unknown.count - wanted.count, all: all, examined: examined,
      sighted: try sighted(reader), begun: begun)
  }

  /// The latest branches and, because any of them can be the genuine one, some of the others.
  private static func choose(among branches: [EpochBranch], count: Int) -> [EpochBranch] {
    guard branches.count > count else { return branches }
    let others = branches.dropFirst(count / 2).shuffled().prefix(count - count / 2)
    return branches.prefix(count / 2) + others.sorted(by: RemoteState.isLater)
  }

  private init(
    wanted: [EpochBranch], postponedCount: Int, all: [EpochBranch: ObjectID], examined: RememberedTips,
    sighted: Set<String>, begun: Set<EpochBranch>
  ) {
    self.wanted = wanted
    self.postponedCount = postponedCount
    self.all = all
    self.examined = examined
    self.sighted = sighted
    self.begun = begun
  }

  private static func sighted(_ access: borrowing some StoreAccess & ~Copyable) throws -> Set<String> {
    let stored = try access.setting(.sightedBranches) ?? []
    return Set((String(validating: stored, as: UTF8.self) ?? "").split(separator: "\n").map(String.init))
  }

  /// Whether the last sync that found the branch of this machine has seen a branch: a machine that ends the epoch begins
  /// with the branch of the next one.
  func wasSighted(_ branch: EpochBranch) -> Bool { sighted.contains(branch.name) }

  /// Remembers the branches of epochs after the one that this machine follows, so that they count as seen at the next
  /// sync.
  func rememberSight(after epoch: UInt32, in store: Store) throws {
    let names = all.keys.filter { $0.epoch > epoch && !begun.contains($0) && all[$0].map(isUnknown) ?? false }
      .sorted(by: RemoteState.isLater).suffix(Self.nameCount).map(\.name)
    guard sighted != Set(names) else { return }
    let bytes = Array(names.joined(separator: "\n").utf8)
    try store.write { try $0.setSetting(.sightedBranches, bytes.isEmpty ? nil : bytes) }
  }

  private func isUnknown(_ tip: ObjectID) -> Bool { !examined.tips.contains(tip) }

  /// Remembers commits that need not be examined again.
  func remember(_ tips: some Sequence<ObjectID>, in store: Store) throws {
    try examined.adding(tips, keeping: Set(all.values)).save(over: examined, in: store)
  }
}
