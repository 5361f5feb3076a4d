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

  /// Verifies the rows that the store gave for an item. Returns nil where there are none; throws where none holds.
  init?(
    rows: [StoredRecord], item: ItemID?, group: GroupID, membership: Membership
  ) throws(VaultError) {
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
      case .refused(let reason): problem = reason
      }
    }
    guard let first = heads.first else {
      if problem.isEmpty { return nil }
      throw VaultError(
        .integrity, "an item of this vault is damaged: \(problem)",
        mend: "the other items are unharmed; restore the folder from a backup, or clone the vault again")
    }
    winner = heads.dropFirst().reduce(first) { $1.wins(over: $0) ? $1 : $0 }
    all = heads
  }
}

extension Membership {
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
