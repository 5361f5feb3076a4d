internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// The rows of one item, read and verified.
struct VerifiedRecords {
  private(set) var valid: [Record] = []
  /// What is wrong with the last row that could not be believed; nil where all could.
  private(set) var problem: String?

  /// A record by somebody who may not write the group is passed over, as if it were not there: an app without the right
  /// could else plant one to keep others from an item.
  init(_ rows: [StoredRecord], item: ItemID, in group: AccessibleGroup, _ context: AccessContext) {
    for row in rows {
      let record: Record
      do throws(FormatError) {
        record = try row.record()
      } catch {
        problem = error.description
        continue
      }
      guard record.header.group == group.id, record.header.item == item else {
        problem = "a row names another item than its signed bytes"
        continue
      }
      switch context.verifier.standing(of: record, from: row, in: group, of: context.membership) {
      case .valid: valid.append(record)
      case .unknownAuthor: if row.standing == .valid { problem = "its author is unknown" }
      case .notEntitled: break
      case .refused(let reason): if context.membership.mayWrite(record) { problem = reason }
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
