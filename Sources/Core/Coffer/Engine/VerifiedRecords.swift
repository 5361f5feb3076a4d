internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// The valid records among the rows of one item. Columns of a row are hints: only the signed bytes count.
struct VerifiedRecords {
  private(set) var valid: [Record] = []
  /// The defect of the last invalid row; nil if all rows are valid.
  private(set) var problem: String?

  /// Verifies rows of the store, which must belong to the item.
  ///
  /// A record of an author without write access is skipped without a problem: otherwise a read-only app could make an
  /// item unreadable by planting one.
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
      case .invalid(let reason): if context.membership.namedAuthorMayWrite(record) { problem = reason }
      }
    }
  }

  /// The valid records that no other valid record names as a base.
  var heads: [Record] {
    guard valid.count > 1 else { return valid }
    let bases = Set(valid.flatMap(\.header.bases))
    return valid.filter { !bases.contains($0.hash) }
  }
}
