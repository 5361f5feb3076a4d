internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore

/// The branches of epochs that a remote has beside the one that this machine follows. Their logs are parts of the
/// vault's log: an attacker with push access can show a branch that lacks an entry which another branch has. And a host
/// that sets a branch back, and an attacker with push access, can show this machine a branch on which the epoch has not
/// ended.
struct OtherBranches {
  /// Those to examine now, the latest first: not always all, because an attacker with push access could create any
  /// number.
  let wanted: [EpochBranch]
  /// The number of others that have not been examined.
  let postponedCount: Int
  /// The branches of this epoch and of later ones that have been opened, by whomever, the latest first.
  var opened: [(branch: EpochBranch, tip: ObjectID)] = []
  /// The other branches that were read whole and that nobody has opened.
  var unopened: [(branch: EpochBranch, tip: ObjectID)] = []
  /// The branches that could not be fetched this time: what they are is unknown.
  var unread: [EpochBranch] = []
  /// Those of them that are larger than a transfer may be.
  var oversized: [EpochBranch] = []
  /// The branches that were too large before, and have not changed since.
  let knownAsOversized: [EpochBranch]
  /// The branches that need not be examined again.
  var finished: [EpochBranch] = []
  private let all: [EpochBranch: ObjectID]
  private let unknown: [EpochBranch]
  private let sighted: Set<EpochBranch>

  /// Chooses at most `count` branches to examine; all if it is nil.
  init(of remote: RemoteState, count: Int?, _ reader: borrowing StoreReader) throws {
    let book = try BranchBook.load(from: reader)
    sighted = book.branches(.sighted)
    all = remote.epochs.filter { $0.key != remote.branch }
    let examined = Set(book.notes.lazy.filter { $0.kind == .examined }.map(\.commit))
    let begun = book.branches(.begun)
    unknown = all.filter { !examined.contains($0.value) && !begun.contains($0.key) }.keys.sorted(
      by: RemoteState.isLater)
    // A new machine has verified the beginning of this one, and might not come across it again.
    let downloaded = try reader.setting(.downloadedBranch).flatMap { String(validating: $0, as: UTF8.self) }
    let oversized = Set(book.notes.lazy.filter { $0.kind == .oversized }.map(\.commit))
    let skipped = unknown.filter { [all] branch in all[branch].map(oversized.contains) ?? false }
    knownAsOversized = skipped
    let possible = Set(unknown).subtracting(skipped).sorted(by: RemoteState.isLater)
    let first = possible.filter { $0.name == downloaded }
    let others = possible.filter { $0.name != downloaded }
    wanted = first + (count.map { Self.choose(among: others, count: max(0, $0 - first.count)) } ?? others)
    postponedCount = possible.count - wanted.count
  }

  /// The latest branches and, because any of them can be the genuine one, some of the others.
  private static func choose(among branches: [EpochBranch], count: Int) -> [EpochBranch] {
    guard branches.count > count else { return branches }
    let others = Random.shuffled(branches.dropFirst(count / 2)).prefix(count - count / 2)
    return branches.prefix(count / 2) + others.sorted(by: RemoteState.isLater)
  }

  /// Whether the last sync that found the branch of this machine has seen a branch: a machine that ends the epoch
  /// begins with the branch of the next one.
  func wasSighted(_ branch: EpochBranch) -> Bool { sighted.contains(branch) }

  /// Whether the vault may continue on a branch after an epoch that this sync has not read.
  func mayHideContinuation(after epoch: UInt32) -> Bool {
    let read = Set(wanted).subtracting(unread)
    return unknown.contains { $0.epoch > epoch && !read.contains($0) }
  }

  /// Remembers the branches of epochs after the one that this machine follows, so that they count as seen at the next
  /// sync.
  func rememberSight(after epoch: UInt32, in store: Store) throws {
    let later = unknown.filter { $0.epoch > epoch }.suffix(BranchBook.Kind.sighted.cap)
    guard Set(later) != sighted else { return }
    try BranchBook.update(in: store) { book in
      book.remove { $0.kind == .sighted }
      for branch in later { if let tip = all[branch] { book.insert(branch, at: tip, .sighted) } }
    }
  }

  /// Remembers which branches need not be examined or fetched again, and forgets those that the remote has no more.
  func rememberFinished(in store: Store) throws {
    try BranchBook.update(in: store) { book in
      book.remove { ($0.kind == .examined || $0.kind == .oversized) && all[$0.branch] != $0.commit }
      for branch in finished { if let tip = all[branch] { book.insert(branch, at: tip, .examined) } }
      for branch in oversized { if let tip = all[branch] { book.insert(branch, at: tip, .oversized) } }
    }
  }
}
