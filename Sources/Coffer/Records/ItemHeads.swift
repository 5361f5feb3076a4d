internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// The versions of one item that nothing supersedes, verified. Rows are hints: what counts is what was signed.
struct ItemHeads {
  /// The head that counts.
  let winner: Record
  /// Every valid head, the winner among them.
  let all: [Record]

  var hasConflict: Bool { all.count > 1 }

  /// False where the item is gone.
  var isLive: Bool { !winner.header.isTombstone }

  /// True where nothing of the item that others could hold is live.
  var isDeviceLocal: Bool { all.allSatisfy { $0.header.isDeviceLocal || $0.header.isTombstone } }

  init?(_ heads: [Record]) {
    guard let first = heads.first else { return nil }
    winner = heads.dropFirst().reduce(first) { $1.wins(over: $0) ? $1 : $0 }
    all = heads
  }
}

/// The rows of one item, read and judged.
struct JudgedRecords {
  private(set) var valid: [Record] = []
  /// What is wrong with the last row that could not be believed; nil where all could.
  private(set) var problem: String?

  /// A record by somebody who may not write the group is passed over, as if it were not there: an app without the right
  /// could else plant one to keep others from an item.
  init(_ rows: [StoredRecord], item: ItemID, in target: Scope.Target, _ scope: Scope) {
    for row in rows {
      let record: Record
      do throws(FormatError) {
        record = try row.record()
      } catch {
        problem = error.description
        continue
      }
      guard record.header.group == target.group.id, record.header.item == item else {
        problem = "a row names another item than its signed bytes"
        continue
      }
      switch scope.verifier.standing(of: record, from: row, in: target, of: scope.membership) {
      case .valid: valid.append(record)
      case .unknownAuthor: if row.standing == .valid { problem = "its author is unknown" }
      case .notEntitled: break
      case .refused(let reason): if scope.membership.mayWrite(record) { problem = reason }
      }
    }
  }

  /// The records that no other one of these names.
  var uncovered: [Record] {
    guard valid.count > 1 else { return valid }
    let named = Set(valid.flatMap(\.header.bases))
    return valid.filter { !named.contains($0.hash) }
  }
}

extension Scope {
  /// The heads of an item; nil where it was never written. Throws `integrity` where a row is damaged and none holds.
  func heads(
    of item: ItemID, in target: Target, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool
  ) throws -> ItemHeads? {
    let rows = try reader.heads(of: item, in: target.group.id, withValues: withValues, verifiedBy: author.id)
    return try heads(of: item, rows: rows, in: target, reader, withValues: withValues)
  }

  /// The heads among the rows that the store gave as such.
  func heads(
    of item: ItemID, rows: [StoredRecord], in target: Target, _ reader: borrowing some StoreAccess & ~Copyable,
    withValues: Bool
  ) throws -> ItemHeads? {
    let judged = JudgedRecords(rows, item: item, in: target, self)
    // A mark may also say of an older version that it is a head.
    if let heads = ItemHeads(judged.uncovered) { return heads }
    if rows.isEmpty, try !reader.hasVersions(of: item, in: target.group.id) { return nil }
    return try headsOfAllVersions(of: item, in: target, reader, withValues: withValues, problem: judged.problem)
  }

  /// The heads, where the marks in the rows cannot be true: from every version's signed bytes.
  private func headsOfAllVersions(
    of item: ItemID, in target: Target, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool,
    problem: String?
  ) throws -> ItemHeads? {
    let rows = try reader.versions(of: item, in: target.group.id, withValues: withValues, verifiedBy: author.id)
    let judged = JudgedRecords(rows, item: item, in: target, self)
    // An older version must not stand in for a newer one that is damaged.
    if let problem = problem ?? judged.problem { throw Self.damaged(problem, in: target) }
    let heads = judged.uncovered
    // Nor for one whose row has gone to another item.
    for head in heads where try reader.isNamedByMissing(head.hash, of: item, in: target.group.id) {
      throw Self.damaged("the version that followed is not there", in: target)
    }
    return ItemHeads(heads)
  }

  /// As ``heads(of:in:_:withValues:)``, for a write that replaces the item and need not read it: what is damaged is passed over.
  func replaceableHeads(
    of item: ItemID, in target: Target, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> (heads: ItemHeads?, isDamaged: Bool) {
    do {
      return (try heads(of: item, in: target, reader, withValues: false), false)
    } catch let error as VaultError where error.code == .integrity {
      let rows = try reader.versions(of: item, in: target.group.id, withValues: false, verifiedBy: author.id)
      return (ItemHeads(JudgedRecords(rows, item: item, in: target, self).uncovered), true)
    }
  }

  /// What the next version names: every head, and of what heads of this machine only name in turn that which other machines
  /// know, since they do not know those.
  func bases(after heads: ItemHeads?, _ reader: borrowing some StoreAccess & ~Copyable) throws -> [RecordHash] {
    guard let heads else { return [] }
    var bases = Array(heads.all.map(\.hash).sorted().suffix(Limits.bases))
    for head in heads.all where head.header.isDeviceLocal {
      for base in head.header.bases where bases.count < Limits.bases && !bases.contains(base) {
        // Versions of this machine are not carried on: they would crowd the others out. The tombstone that told the others of
        // the item's end is, also when it is pruned here: they still hold it as a head.
        if let row = try reader.record(base) {
          guard let record = try? row.record(), !record.header.isDeviceLocal else { continue }
        } else {
          guard try reader.isTombstone(base) else { continue }
        }
        bases.append(base)
      }
    }
    return bases
  }

  static func damaged(_ problem: String, in target: Target) -> VaultError {
    VaultError(
      .integrity, "an item in \(target.name) is damaged: \(problem)",
      mend: "the other items are unharmed; restore the folder from a backup, or clone the vault again")
  }
}

extension Membership {
  /// True where the author that a record names may write the record's group, whoever signed it in truth.
  fileprivate func mayWrite(_ record: Record) -> Bool {
    authors[record.header.author].flatMap { access(of: $0, to: record.header.group) } == .readWrite
  }

  /// Who wrote a record.
  func writer(of record: Record) -> Writer {
    guard let author = authors[record.header.author] else { return Writer(application: nil, device: "unknown") }
    let device = devices[author.device]?.name ?? "unknown"
    return switch author.role {
    case .admin: Writer(application: nil, device: device)
    case .principal(let application, _, _): Writer(application: application.description, device: device)
    }
  }
}
