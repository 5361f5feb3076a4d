internal import Foundation

/// The dates of the model's items, which no model can predict: when they were created and changed, and the dates in
/// results.
struct DateLedger {
  /// The largest allowed difference between the clock and stored dates.
  private static let tolerance: TimeInterval = 1

  private struct Dates {
    var made: ClosedRange<Date>
    var changed: ClosedRange<Date>
    var shownCreated: Date?
    var shownModified: Date?
    /// True if no call has changed the item since a result showed its modification date.
    var isCurrent = false
  }

  private var items: [Int: Dates] = [:]

  /// Records that a call has added or changed an item.
  mutating func touch(_ item: Int, during call: ClosedRange<Date>) {
    items[item, default: Dates(made: call, changed: call)].changed = call
    items[item]?.isCurrent = false
  }

  /// Returns the error in the dates that a result shows for an item; nil if they are correct.
  mutating func check(created: Date, modified: Date, of item: Int) -> String? {
    guard var dates = items[item] else { return "the item was never added" }
    defer { items[item] = dates }
    if created > modified { return "made after it was changed" }
    if !Self.contains(created, dates.made) { return "made when it was not added" }
    if let shown = dates.shownCreated, shown != created { return "the date on which it was made has changed" }
    if let shown = dates.shownModified {
      if modified < shown { return "the date of change has gone back" }
      if dates.isCurrent && modified != shown { return "the date of change has changed without a change" }
    }
    if !Self.contains(modified, dates.changed) { return "changed when nothing changed it" }
    dates.shownCreated = created
    dates.shownModified = modified
    dates.isCurrent = true
    return nil
  }

  private static func contains(_ date: Date, _ range: ClosedRange<Date>) -> Bool {
    date >= range.lowerBound.addingTimeInterval(-tolerance) && date <= range.upperBound.addingTimeInterval(tolerance)
  }
}
