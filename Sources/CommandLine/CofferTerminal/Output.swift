internal import Coffer
package import CofferCrypto
package import CofferPlatform
package import CofferVault
internal import CofferSystem

/// The output of the commands on standard output.
package enum Output {
  /// Prints a value as JSON with sorted keys and dates as ISO 8601 in UTC. Characters that could control a terminal are
  /// escaped: the encoder leaves those above U+001F.
  package static func json(_ value: some Encodable) throws { try line(jsonText(value)) }

  /// Prints an object as JSON.
  package static func json(object: JSONObject) throws { try json(object) }

  /// Prints a value as JSON, with a secret in place of a text that the value contains once. The secret does not leave
  /// guarded memory.
  package static func json(_ value: some Encodable, replacing placeholder: String, by secret: SecretText) throws {
    let parts = try jsonText(value).components(separatedBy: placeholder)
    try Terminal.write(Data((parts.first ?? "").utf8))
    try Terminal.write(secret)
    try line(parts.dropFirst().joined())
  }

  private static func jsonText(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    let encoded = try encoder.encode(value)
    if encoded.allSatisfy({ (0x20...0x7E).contains($0) || $0 == UInt8(ascii: "\n") }) {
      return String(decoding: encoded, as: UTF8.self)
    }
    var text = ""
    for scalar in String(decoding: encoded, as: UTF8.self).unicodeScalars {
      if scalar.isSafeForTerminal || scalar == "\n" {
        text.unicodeScalars.append(scalar)
      } else {
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return text
  }

  /// Prints rows in columns, each as wide as its widest cell, and at most ``maximumPaddedLength`` characters: a longer
  /// cell moves the rest of its own line only. The headings are in the first row. The last column is not padded.
  /// `columns` says how they give way on a terminal that is too narrow for the rows; if it is empty, the lines wrap.
  package static func table(_ rows: [[String]], fitting columns: [TableColumn] = []) throws(VaultError) {
    let window = columns.isEmpty ? nil : TerminalWindow.find(on: STDOUT_FILENO)
    let width = window.map(\.columns) ?? 0
    try printTable(width > 0 ? TableColumn.fit(rows, columns, to: width) : rows)
  }

  /// The number of spaces between two columns.
  static let columnGap = 2

  /// The number of characters to which cells are padded: one long text, which may be another's, must not make every
  /// line of the output as long.
  static let maximumPaddedLength = 64

  private static func printTable(_ rows: [[String]]) throws(VaultError) {
    for row in lines(of: rows) { try line(row) }
  }

  /// Returns the lines of a table.
  static func lines(of rows: [[String]]) -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if widths.count <= column { widths.append(0) }
        widths[column] = min(max(widths[column], cell.count), maximumPaddedLength)
      }
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let padding = column == row.count - 1 ? 0 : max(widths[column] - cell.count, 0)
        return cell + String(repeating: " ", count: padding)
      }
      return cells.joined(separator: String(repeating: " ", count: columnGap))
    }
  }

  package static func line(_ text: String) throws(VaultError) {
    try Terminal.write(Data((text + "\n").utf8))
  }

  /// Returns the text of an item for a cell of a table: all of it, but unable to control the terminal.
  package static func cell(_ text: String) -> String { text.sanitizedForTerminal(limit: .max) }

  /// Returns a name that an app or a person has chosen for a cell of a table: as ``cell(_:)``, and shortened on a
  /// terminal, where one long name would make every row as long.
  package static func name(_ text: String) -> String {
    let whole = cell(text)
    guard Terminal.isOutput, whole.count > maximumNameLength else { return whole }
    return whole.prefix(maximumNameLength - 1) + "…"
  }

  private static let maximumNameLength = 48

  /// Returns a date in the machine's time zone, to the second.
  package static func date(_ date: Date) -> String { date.localText }

  /// Returns a date with its age at a moment: "2026-11-21 00:31:49 (3 minutes ago)".
  package static func date(_ date: Date, asOf now: Date) -> String {
    "\(self.date(date)) (\(age(of: date, asOf: now)))"
  }

  /// Returns the age of a date at a moment, in the largest unit that fits: "3 minutes ago".
  package static func age(of date: Date, asOf now: Date) -> String {
    let seconds = Int(now.timeIntervalSince(date).rounded(.down))
    guard seconds >= 0 else { return "in the future by this machine's clock" }
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
    guard let (length, name) = units.first(where: { seconds >= $0.0 }) else { return "just now" }
    let count = seconds / length
    return "\(count) \(name)\(count == 1 ? "" : "s") ago"
  }
}
