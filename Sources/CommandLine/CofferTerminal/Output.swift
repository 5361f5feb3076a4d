internal import Coffer
package import CofferCrypto
package import CofferPlatform
internal import CofferSystem
package import CofferVault

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

  /// Returns a value as JSON in one line, with sorted keys and the newline, for another program.
  package static func jsonLine(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value) + [10]
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
    try lines(lines(of: width > 0 ? TableColumn.fit(rows, columns, to: width) : rows))
  }

  /// The number of spaces between two columns.
  static let columnGap = 2

  /// The number of characters to which cells are padded: one long text, which may be another's, must not make every
  /// line of the output as long.
  static let maximumPaddedLength = 64

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
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        guard column < row.count - 1 else { break }
        line += String(repeating: " ", count: max(widths[column] - cell.count, 0) + columnGap)
      }
      return line
    }
  }

  /// The number of bytes from which lines are written together.
  private static let chunkByteCount = 65_536

  /// Prints lines. A list can have thousands, and a write for each would take as long as making it.
  package static func lines(_ lines: some Sequence<String>) throws(VaultError) {
    var chunk = ""
    for line in lines {
      chunk += line
      chunk += "\n"
      guard chunk.utf8.count >= chunkByteCount else { continue }
      try Terminal.write(Data(chunk.utf8))
      chunk = ""
    }
    try Terminal.write(Data(chunk.utf8))
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
    guard seconds < 86_400 else { return "\(counted(days: seconds / 86_400)) ago" }
    let units = [(3_600, "hour"), (60, "minute"), (1, "second")]
    guard let (length, name) = units.first(where: { seconds >= $0.0 }) else { return "just now" }
    let count = seconds / length
    return "\(count) \(name)\(count == 1 ? "" : "s") ago"
  }
}

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

/// An object in the output of `--json`: its keys with their values. A key whose value is nil is left out.
package struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private var members: [(name: Name, value: any Encodable)] = []
  private var included: [any Encodable] = []

  package init(dictionaryLiteral members: (String, (any Encodable)?)...) {
    self.members = members.compactMap { key, value in value.map { (Name(stringValue: key), $0) } }
  }

  /// The object with the keys of another value, which encodes itself as an object with other keys.
  package func including(_ other: (any Encodable)?) -> JSONObject {
    var object = self
    if let other { object.included.append(other) }
    return object
  }

  package func encode(to encoder: any Encoder) throws {
    for value in included { try value.encode(to: encoder) }
    var container = encoder.container(keyedBy: Name.self)
    for member in members { try container.encode(member.value, forKey: member.name) }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { return nil }
  }
}
