import CofferTestSupport
import Foundation
import Testing

/// The table of FORMAT.md that says what insiders can do.
enum InsiderMatrix {
  /// A kind of object that somebody signs.
  enum Object: String, CaseIterable {
    case entry = "log entry"
    case boxes = "boxes of a log entry"
    case segment
    case record
    case list = "record list"
    case slot = "root slot"
    case checkpoint
    case chunk = "chunk of a snapshot"
    case opened = "`opened`"
    case closed = "`closed`"
    case lane
    case backup
  }

  /// What is done with an object.
  enum Change: String, CaseIterable {
    case added
    case replaced
    case resealed = "sealed again"
    case repadded = "padded further"
    case replayed
    /// In place of an object that only its maker has, before anybody else has read that.
    case planted
  }

  /// What becomes of what an insider has pushed, by the table's words.
  enum Outcome: String, CaseIterable {
    /// The insider's keys do not suffice to write it.
    case impossible = "cannot"
    /// No such change of the object exists.
    case inapplicable = "–"
    /// It is what the reader has; nobody needs to know.
    case same
    /// It is within the insider's rights.
    case accepted
    /// It is named and removed.
    case removed
    /// It is named, and the reader's own file is put back.
    case putBack = "put back"
    /// It is named and stays.
    case named
    /// It is removed without a word.
    case dropped
    /// The reader's own file is put back without a word.
    case restored = "put back silently"
    /// No machine reads it.
    case refused
  }

  struct Cell: Hashable {
    let object: Object
    let change: Change
    let insider: Insider
  }

  /// The outcome of each cell.
  static func documented() throws -> [Cell: Outcome] {
    let lines = try DocumentationPage("FORMAT").lines
    let start = try #require(lines.firstIndex(of: "## What insiders can do"))
    let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("## ") } ?? lines.count
    let rows = lines[start..<end].filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let insiders = try #require(rows.first).dropFirst(2).map(Insider.init)
    try #require(insiders.count == Insider.allCases.count && !insiders.contains(nil))
    var cells: [Cell: Outcome] = [:]
    var object: Object?
    for row in rows.dropFirst() {
      object = Object(rawValue: row[0]) ?? (row[0].isEmpty ? object : nil)
      let (kind, change) = (try #require(object, "\(row)"), Change(rawValue: row[1]))
      for (insider, text) in zip(insiders, row.dropFirst(2)) {
        let cell = Cell(object: kind, change: try #require(change, "\(row)"), insider: try #require(insider))
        guard let outcome = Outcome(rawValue: text) else {
          Issue.record("\(row)")
          continue
        }
        cells[cell] = outcome
      }
    }
    return cells
  }
}
