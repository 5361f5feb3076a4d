/// How a column of a table gives way if the terminal is narrower than the table.
package enum TableColumn: Sendable {
  /// It does not: identifiers, numbers and single words.
  case whole
  /// A name, of which the beginning stays.
  case name
  /// An access group or a writer, of which the end stays, where they differ.
  case ending
  /// A date, of which the day stays.
  case date

  /// Returns rows whose columns fit a width in characters together, as far as that is possible, with an ellipsis where
  /// a text was shortened. The headings are in the first row. Columns that are not named stay as they are.
  ///
  /// Dates lose their seconds first. Then groups and writers, and after them names, are shortened to a length that
  /// still tells most of them apart, dates lose their time, and at last every name is shortened to that of its heading.
  static func fit(_ rows: [[String]], _ columns: [TableColumn], to width: Int) -> [[String]] {
    let count = rows.map(\.count).max() ?? 0
    let columns = columns.prefix(count) + Array(repeating: .whole, count: max(count - columns.count, 0))
    var widths = (0..<count).map { column in rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    let available = width - Output.columnGap * max(count - 1, 0)
    for stage in stages {
      while widths.reduce(0, +) > available {
        let candidates = widths.indices.filter { column in
          guard let limit = stage.limit(columns[column]) else { return false }
          return widths[column] > max(limit, rows[0].indices.contains(column) ? rows[0][column].count : 0)
        }
        guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
        // A date without its last character would be another one.
        widths[widest] = columns[widest] == .date ? stage.limit(.date) ?? widths[widest] : widths[widest] - 1
      }
    }
    return rows.map { row in
      row.enumerated().map { column, cell in columns[column].shortened(cell, to: widths[column]) }
    }
  }

  /// The lengths to which columns are shortened in one stage; nil for kinds that stay as they are in it.
  private struct Stage {
    var ending: Int?
    var name: Int?
    var date: Int?

    func limit(_ column: TableColumn) -> Int? {
      switch column {
      case .whole: nil
      case .name: name
      case .ending: ending
      case .date: date
      }
    }
  }

  private static let stages = [
    Stage(date: 16), Stage(ending: 20), Stage(name: 20), Stage(date: 10), Stage(ending: 8, name: 8),
  ]

  private func shortened(_ cell: String, to width: Int) -> String {
    guard cell.count > width else { return cell }
    return switch self {
    case .whole: cell
    case .name: cell.prefix(max(width - 1, 0)) + "…"
    case .ending: "…" + cell.suffix(max(width - 1, 0))
    case .date: String(cell.prefix(width))
    }
  }
}
