internal import CofferFormat
package import CofferStore

/// The result of a check.
package struct CheckReport: Sendable {
  /// The store's file.
  package let path: String
  package let differences: StoreDifferences
  /// Whether the differences were repaired.
  package let isRepaired: Bool
  /// Whether the repair needs a sync, because only the remote has what is missing.
  package let needsRemote: Bool
  /// The URL of the remote that the store has lost: to build the store from there is better than any repair.
  package let lostRemote: String?
  /// Where the damaged file of the store is; nil unless a new one was built of what could be read of it.
  package var movedFile: String?
  /// The tables of which the damaged file did not give all rows.
  package var incompleteTables: [String] = []

  package var isEmpty: Bool { differences.isEmpty }

  /// The number of differing rows.
  package var total: Int { differences.total }

  /// The number of rows of which no copy is known.
  package var lostCount: Int { differences.count(.lost) }

  /// A difference, for JSON.
  package struct Row: Encodable, Sendable {
    package let table: String
    package let problem: String
    package let rows: Int
    package let group: String?
    package let item: String?
    /// `restored`, `derived`, `remote` or `lost`.
    package let remedy: String
  }

  /// The differences, for JSON.
  package var rows: [Row] {
    differences.listed.map {
      Row(
        table: $0.table, problem: $0.text, rows: $0.count, group: $0.group?.description, item: $0.item?.description,
        remedy: $0.remedy.rawValue)
    }
  }

  /// The differences, a line each.
  package var lines: [String] {
    var lines: [String] = []
    if let movedFile {
      lines.append("store: its file is damaged; a new one was built, and the damaged one is \(movedFile)")
    }
    lines += incompleteTables.map { "\($0): a part of the table could not be read" }
    lines += differences.listed.map { line($0) }
    if differences.unlistedCount > 0 { lines.append("and \(differences.unlistedCount) more") }
    return lines
  }

  private func line(_ difference: StoreDifference) -> String {
    var place = ""
    if let group = difference.group { place += " of group \(group)" }
    if let item = difference.item { place += " of item \(item)" }
    return "\(difference.table)\(place): \(difference.text); \(remedy(difference.remedy))"
  }

  private func remedy(_ remedy: StoreDifference.Remedy) -> String {
    switch remedy {
    case .restored: isRepaired ? "restored" : "can be restored"
    case .derived: isRepaired ? "derived again" : "can be derived again"
    case .remote: lostRemote == nil ? "the next sync fetches it" : "not in this store; the remote has what was synced"
    case .lost: isRepaired ? "lost" : "will be lost, unless the next write replaces it"
    }
  }

  /// Returns a line for each kind of difference, with the number of rows: the report of a sync that has repaired the
  /// store.
  package func summary(omitting tables: Set<String> = []) -> [String] {
    differences.counts.filter { !tables.contains($0.key.table) }.sorted { $0.key < $1.key }.map { kind, count in
      let rows = "\(count) row\(count == 1 ? "" : "s") of its table \(kind.table)"
      return switch kind.remedy {
      case .restored: "the store at \(path) lacked \(rows) or had them damaged; restored"
      case .derived: "the store at \(path) lacked \(rows) or had them wrong; derived again from the signed objects"
      case .remote: "the store at \(path) lacked \(rows), which only the remote has"
      case .lost: "the store at \(path) lost \(rows), of which no copy is known"
      }
    }
  }
}
