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
  /// Whether somebody has deleted one of a later epoch while this sync read them, and so perhaps ended an epoch.
  var isOutdated = false
  /// Whether one has moved between the list and the transfer: its log may have what this machine's branch had not yet.
  var hasMoved = false
  /// Whether what somebody has deleted meanwhile only counts as not read.
  var acceptsGone = false
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
    // Whether a branch was opened depends on its name: of a commit under another name, nothing is known.
    let known = Set(book.notes)
    unknown = all.filter { !known.contains(.init(branch: $0.key, commit: $0.value, kind: .examined)) }.keys
      .sorted(by: RemoteState.isLater)
    // A new machine has verified the beginning of this one, and might not come across it again.
    let downloaded = try reader.setting(.downloadedBranch).flatMap { String(validating: $0, as: UTF8.self) }
    let oversized = Set(book.notes.lazy.filter { $0.kind == .oversized }.map(\.commit))
    knownAsOversized = unknown.filter { [all] branch in all[branch].map(oversized.contains) ?? false }
    let possible = Set(unknown).subtracting(knownAsOversized).sorted(by: RemoteState.isLater)
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

  /// Whether this sync has found a branch at `tip` beside that of this machine: others can push to it, and open it,
  /// before this sync reads it.
  func isListed(_ branch: EpochBranch, at tip: ObjectID?) -> Bool { all[branch] == tip }

  /// Whether a branch was read whole as it is at the remote, by this sync or an earlier one.
  func wasRead(_ branch: EpochBranch) -> Bool { finished.contains(branch) || !unknown.contains(branch) }

  /// Whether the vault may continue on a branch after an epoch that this sync has not read; with `oversized`, also
  /// because it was too large.
  func mayHideContinuation(after epoch: UInt32, oversized countsOversized: Bool = true) -> Bool {
    let read = Set(wanted).subtracting(unread).union(countsOversized ? [] : knownAsOversized + oversized)
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

/// What this machine remembers of the branches of epochs, beside the one that it follows.
struct BranchBook: Equatable {
  /// A branch, the commit that a note is about, and what is known of it.
  struct Note: Hashable {
    let branch: EpochBranch
    let commit: ObjectID
    let kind: Kind
  }

  enum Kind: UInt8 {
    /// This machine has begun the branch for the epoch after this commit. It is deleted when the epoch has gone on
    /// after the commit, so that it cannot be closed in favour of that branch any more, or when another branch follows;
    /// but not if it was opened: others may follow it.
    case begun = 0
    /// The epoch of the branch has ended. The branch is deleted if it names this commit, which closes it, and which the
    /// snapshot covers.
    case closed
    /// A machine without the right to do so has opened the branch. It is deleted if it still names this commit.
    case void
    /// This machine has pushed the branch as a whole, and not followed it yet: until other machines have, only this
    /// machine's cache has it for certain.
    case candidate
    /// The last sync that found the branch of this machine has seen this later one.
    case sighted = 5
    /// The log of the branch at this commit was imported, and the vault does not continue there. Coffer 0.2.0 wrote 4
    /// for this, and for branches whose fetch a broken connection had ended: such notes are forgotten.
    case examined
    /// The branch at this commit is larger than a transfer may be. It is not fetched again, and counts as one that was
    /// not read.
    case oversized

    /// The number of notes that are kept. The work for others is repeated at the next sync.
    var cap: Int {
      switch self {
      case .candidate: 1
      case .begun, .closed: 64
      case .void, .sighted, .oversized: 1_024
      // Each new machine, and each that has lost its branch, examines all of them.
      case .examined: 16_384
      }
    }

    /// Whether the branch is to be deleted. Of these, a branch has one note.
    var isDeletion: Bool { self == .begun || self == .closed || self == .void }
  }

  /// The notes, oldest first.
  private(set) var notes: [Note] = []

  /// Reads the book from the settings. What is not readable is forgotten: such branches stay and are examined again.
  static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> BranchBook {
    var book = BranchBook()
    var reader = ByteReader(try access.setting(.branches) ?? [], object: "setting of branches")
    do {
      while reader.remaining > 0 { if let note = try read(from: &reader) { book.notes.append(note) } }
    } catch {
      // Nothing tells where the next note begins.
    }
    return book
  }

  /// Reads a note; nil for one of a kind that is unknown.
  private static func read(from reader: inout ByteReader) throws(FormatError) -> Note? {
    let (kind, epoch, tag) = (Kind(rawValue: try reader.u8("kind")), try reader.u32("epoch"), try reader.u64("tag"))
    let commit = ObjectID(bytes: try reader.fixed(20, "commit"))
    guard let commit, let branch = epoch == 1 ? .first : EpochBranch(epoch: epoch, tagged: tag) else {
      throw reader.failure(.invalidValue, "note")
    }
    return kind.map { Note(branch: branch, commit: commit, kind: $0) }
  }

  /// Writes the book to the settings.
  func save(to writer: borrowing StoreWriter) throws {
    var bytes = ByteWriter()
    // Coffer 0.2.0 reads no further than a note of a kind that it does not know.
    let isOfEarlierVersion = { (note: Note) in note.kind != .examined && note.kind != .oversized }
    for note in notes.filter(isOfEarlierVersion) + notes.filter({ !isOfEarlierVersion($0) }) {
      bytes.u8(note.kind.rawValue)
      bytes.u32(note.branch.epoch)
      bytes.u64(note.branch.tag)
      bytes.fixed(note.commit.bytes)
    }
    try writer.setSetting(.branches, notes.isEmpty ? nil : bytes.bytes)
  }

  /// Changes the book in the settings.
  static func update(in store: Store, _ body: (inout BranchBook) -> Void) throws {
    let known = try store.read { try load(from: $0) }
    var changed = known
    body(&changed)
    guard changed != known else { return }
    try store.write { try changed.save(to: $0) }
  }

  func branches(_ kind: Kind) -> Set<EpochBranch> { Set(notes.lazy.filter { $0.kind == kind }.map(\.branch)) }

  /// Adds a note, in place of the one that the branch had of its kind, or of its deletion.
  mutating func insert(_ branch: EpochBranch, at commit: ObjectID, _ kind: Kind) {
    remove { $0.branch == branch && ($0.kind == kind || $0.kind.isDeletion && kind.isDeletion) }
    notes.append(Note(branch: branch, commit: commit, kind: kind))
    let surplus = notes.count { $0.kind == kind } - kind.cap
    if surplus > 0, let oldest = notes.firstIndex(where: { $0.kind == kind }) { notes.remove(at: oldest) }
  }

  mutating func remove(where isUnneeded: (Note) -> Bool) { notes.removeAll(where: isUnneeded) }
}
