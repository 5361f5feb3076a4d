internal import CofferFormat
internal import CofferGit
internal import CofferStore

/// The branches that this machine deletes when nobody needs them any more: those of epochs that it has closed, those that it
/// has begun for an epoch that another machine has begun before it, and those that a machine has opened which may not.
struct BranchesToDelete {
  /// A branch, and when it is deleted.
  struct Entry: Hashable {
    let branch: EpochBranch
    let condition: Condition

    /// Whether this machine has begun the branch.
    var isBegun: Bool { if case .begun = condition { true } else { false } }
  }

  enum Condition: Hashable {
    /// The branch of an epoch that has ended. It is deleted if it names this commit, which closes it, and which the snapshot
    /// covers.
    case closed(ObjectID)
    /// A branch of the next epoch. It is deleted when the epoch has gone on after this commit, so that it cannot be closed
    /// in favour of that branch any more, or when another branch follows.
    case begun(onto: ObjectID)
    /// A branch that a machine without the right to do so has opened. It is deleted if it still names this commit.
    case void(ObjectID)

    fileprivate var code: UInt8 {
      switch self {
      case .begun: 0
      case .closed: 1
      case .void: 2
      }
    }

    fileprivate var commit: ObjectID {
      switch self {
      case .begun(let commit), .closed(let commit), .void(let commit): commit
      }
    }
  }

  private(set) var entries: [Entry] = []

  private static let cap = 64

  /// Reads the branches from the settings. A setting that is not readable counts as empty: such branches stay.
  static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> BranchesToDelete {
    var branches = BranchesToDelete()
    var reader = ByteReader(try access.setting(.branchesToDelete) ?? [], object: "setting of branches")
    while reader.remaining > 0, let entry = try? read(from: &reader) { branches.entries.append(entry) }
    return branches
  }

  private static func read(from reader: inout ByteReader) throws(FormatError) -> Entry {
    let code = try reader.u8("condition")
    let (epoch, tag) = (try reader.u32("epoch"), try reader.u64("tag"))
    let commit = ObjectID(bytes: try reader.fixed(20, "commit"))
    guard let branch = epoch == 1 ? .first : EpochBranch(epoch: epoch, tagged: tag), let commit else {
      throw reader.failure(.invalidValue, "branch")
    }
    let conditions = [Condition.begun(onto: commit), .closed(commit), .void(commit)]
    guard let condition = conditions.first(where: { $0.code == code }) else {
      throw reader.failure(.invalidValue, "condition")
    }
    return Entry(branch: branch, condition: condition)
  }

  /// Adds a branch, in place of an entry about the same one.
  mutating func insert(_ branch: EpochBranch, _ condition: Condition) {
    remove(branch)
    entries.append(Entry(branch: branch, condition: condition))
    entries = entries.suffix(Self.cap)
  }

  mutating func remove(_ branch: EpochBranch) { entries.removeAll { $0.branch == branch } }

  /// Writes the branches to the settings.
  func save(to writer: borrowing StoreWriter) throws {
    var bytes = ByteWriter()
    for entry in entries {
      bytes.u8(entry.condition.code)
      bytes.u32(entry.branch.epoch)
      bytes.u64(entry.branch.tag)
      bytes.fixed(entry.condition.commit.bytes)
    }
    try writer.setSetting(.branchesToDelete, entries.isEmpty ? nil : bytes.bytes)
  }
}
