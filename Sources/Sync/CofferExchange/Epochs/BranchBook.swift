internal import CofferFormat
internal import CofferGit
internal import CofferStore

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
    /// after the commit, so that it cannot be closed in favour of that branch any more, or when another branch follows.
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
