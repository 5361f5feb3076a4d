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

  /// Verifies the rows that the store gave for an item. Returns nil where there are none that count; throws where some
  /// are damaged and none holds.
  ///
  /// A record by somebody who may not write the group is passed over, as if it were not there: an app without the right
  /// could else plant one to keep others from an item.
  init?(rows: [StoredRecord], item: ItemID?, group: GroupID, membership: Membership) throws(VaultError) {
    var heads: [Record] = []
    var problem = ""
    for row in rows {
      let record: Record
      do throws(FormatError) {
        record = try row.record()
      } catch {
        problem = error.description
        continue
      }
      guard record.header.group == group, item == nil || record.header.item == item else {
        problem = "a row names another item than its signed bytes"
        continue
      }
      switch membership.standing(of: record) {
      case .valid: heads.append(record)
      case .unknownAuthor: problem = "its author is unknown"
      case .refused(let reason):
        if membership.mayWrite(record) { problem = reason }
      }
    }
    guard let first = heads.first else {
      if problem.isEmpty { return nil }
      throw VaultError(
        .integrity,
        "an item in \(membership.groups[group]?.name.description ?? "an unknown access group") is damaged: \(problem)",
        mend: "the other items are unharmed; restore the folder from a backup, or clone the vault again")
    }
    winner = heads.dropFirst().reduce(first) { $1.wins(over: $0) ? $1 : $0 }
    all = heads
  }

  /// As ``init(rows:item:group:membership:)``, with nil for a damaged item: a write need not read what it replaces.
  static func replaceable(
    _ rows: [StoredRecord], item: ItemID, group: GroupID, membership: Membership
  ) throws(VaultError) -> (heads: ItemHeads?, isDamaged: Bool) {
    do throws(VaultError) {
      return (try ItemHeads(rows: rows, item: item, group: group, membership: membership), false)
    } catch {
      guard error.code == .integrity else { throw error }
      return (nil, true)
    }
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
