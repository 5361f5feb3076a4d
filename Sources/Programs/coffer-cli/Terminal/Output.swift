internal import Coffer
internal import CofferSystem
internal import Foundation

/// What the commands print.
enum Output {
  /// One JSON document, keys in order, dates as ISO 8601 in UTC.
  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    try Terminal.write(try encoder.encode(value) + Data("\n".utf8))
  }

  /// Lines of columns, padded to the widest cell; the last column is not padded.
  static func table(_ rows: [[String]]) throws(VaultError) {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if widths.count <= column { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      try line(cells.joined(separator: "  "))
    }
  }

  /// One line.
  static func line(_ text: String) throws(VaultError) {
    try Terminal.write(Data((text + "\n").utf8))
  }

  /// The text of an item for one cell of a table, whole and unable to control the terminal.
  static func cell(_ text: String) -> String { text.sanitizedForTerminal(limit: .max) }

  /// A date in the machine's own time zone, to the minute.
  static func date(_ date: Date) -> String {
    date.formatted(
      Date.ISO8601FormatStyle(timeZone: .current).year().month().day().dateSeparator(.dash)
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false).timeSeparator(.colon)
    )
  }
}
