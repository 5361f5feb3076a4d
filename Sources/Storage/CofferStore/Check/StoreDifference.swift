package import CofferFormat

/// A difference between the store and what its signed objects state. It names identifiers and never contents.
package struct StoreDifference: Hashable, Sendable {
  /// How the store gets right again.
  package enum Remedy: String, Hashable, Sendable {
    /// The row is restored from the segment or the envelope that holds it.
    case restored
    /// The row is derived from signed objects.
    case derived
    /// Only the remote has the object: the next sync fetches it.
    case remote
    /// No copy of the object is known. The row is removed.
    case lost
  }

  package let table: String
  /// The difference, as a clause.
  package let text: String
  package let remedy: Remedy
  /// The number of rows.
  package let count: Int
  package let group: GroupID?
  package let item: ItemID?

  package init(
    _ table: String, _ text: String, _ remedy: Remedy, count: Int = 1, group: GroupID? = nil, item: ItemID? = nil
  ) {
    self.table = table
    self.text = text
    self.remedy = remedy
    self.count = count
    self.group = group
    self.item = item
  }
}

/// The differences that a check has found: the first of them one by one, and the number of rows of all.
package struct StoreDifferences: Sendable {
  /// The first differences, in the order in which they were found.
  package private(set) var listed: [StoreDifference] = []
  /// The number of rows by table and remedy.
  package private(set) var counts: [Kind: Int] = [:]

  /// A table, and how its rows get right again.
  package struct Kind: Hashable, Sendable, Comparable {
    package let table: String
    package let remedy: StoreDifference.Remedy

    package static func < (left: Kind, right: Kind) -> Bool {
      (left.table, left.remedy.rawValue) < (right.table, right.remedy.rawValue)
    }
  }

  private static let maximumListed = 1_000

  package init() {}

  package var isEmpty: Bool { counts.isEmpty }

  /// The number of differing rows.
  package var total: Int { counts.values.reduce(0, +) }

  /// The number of differing rows that are not listed.
  package var unlistedCount: Int { total - listed.reduce(0) { $0 + $1.count } }

  /// Returns the number of rows with a remedy.
  package func count(_ remedy: StoreDifference.Remedy) -> Int {
    counts.reduce(0) { $0 + ($1.key.remedy == remedy ? $1.value : 0) }
  }

  package mutating func add(_ difference: StoreDifference) {
    counts[Kind(table: difference.table, remedy: difference.remedy), default: 0] += difference.count
    if listed.count < Self.maximumListed { listed.append(difference) }
  }

  /// Makes lost rows of some tables such as only the remote has: the store does not know what was synced.
  package mutating func awaitRemote(for tables: Set<String>) {
    listed = listed.map { difference in
      guard difference.remedy == .lost, tables.contains(difference.table) else { return difference }
      return StoreDifference(
        difference.table, difference.text, .remote, count: difference.count, group: difference.group,
        item: difference.item)
    }
    for table in tables {
      guard let count = counts.removeValue(forKey: Kind(table: table, remedy: .lost)) else { continue }
      counts[Kind(table: table, remedy: .remote), default: 0] += count
    }
  }

  /// Adds the differences of another check.
  package mutating func merge(_ other: StoreDifferences) {
    for (kind, count) in other.counts { counts[kind, default: 0] += count }
    listed += other.listed.prefix(max(Self.maximumListed - listed.count, 0))
  }
}
