internal import CofferPlatform
internal import CofferSystem

/// The passwords that Chrome, Firefox, Apple Passwords or KeePassXC export as CSV, and those of `coffer export csv`.
/// The names in the first line tell them apart.
package struct CSVSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  /// What a column means.
  private enum Column {
    case title, address, username, password, notes, oneTimeCode, folder, realm, formAddress, identifier
    case createdMilliseconds, modifiedMilliseconds, created, modified
  }

  /// The names of the columns of all these programs.
  private static let columns: [String: Column] = [
    "title": .title, "name": .title, "url": .address, "username": .username, "password": .password, "note": .notes,
    "notes": .notes, "otpauth": .oneTimeCode, "totp": .oneTimeCode, "group": .folder, "folder": .folder,
    "httprealm": .realm, "formactionorigin": .formAddress, "guid": .identifier, "timecreated": .createdMilliseconds,
    "timepasswordchanged": .modifiedMilliseconds, "created": .created, "last modified": .modified,
  ]

  private struct Row {
    var fields: [Column: [UInt8]] = [:]
    var others: [(name: String, value: [UInt8])] = []

    subscript(_ column: Column) -> [UInt8] { fields[column] ?? [] }
  }

  package func read(into sink: inout EntrySink) throws {
    var reader = CSVReader(try input.contents(for: &sink))
    let first = try reader.next() ?? []
    guard !first.joined().contains(0) else { throw InputFile.isUTF16 }
    let header = first.map { String(decoding: $0, as: UTF8.self) }
    let names = header.map { $0.lowercased() }
    try Self.checkSeparator(of: names)
    guard names.contains("password"), Set(names).count == names.count,
      !Set(["url", "title", "name", "username"]).isDisjoint(with: names)
    else {
      throw ImportError(
        "the first line of the file does not name the columns of Chrome, Firefox, Apple Passwords or KeePassXC",
        recoverySuggestion: "name the columns: name,url,username,password,note")
    }
    while let fields = try reader.next() {
      let place = "line \(reader.line)"
      guard fields.count == names.count else {
        try sink.skip(place, because: "it has \(fields.count) fields, and the first line \(names.count)")
        continue
      }
      var row = Row()
      for (index, field) in fields.enumerated() {
        // Two columns may mean the same, such as note and notes: the first one that is not empty counts.
        if let column = Self.columns[names[index]], row[column].isEmpty {
          row.fields[column] = field
        } else if !field.isEmpty {
          row.others.append((header[index], field))
        }
      }
      if let entry = Self.entry(row) {
        try sink.add(entry)
      } else {
        try sink.skip(place, because: "a name in it is no UTF-8")
      }
    }
  }

  /// Throws the reason if the first line has its names, but with another character between them.
  private static func checkSeparator(of names: [String]) throws(ImportError) {
    guard names.count == 1, let line = names.first else { return }
    for (separator, words) in [(Character(";"), "semicolons"), ("\t", "tabs")]
    where line.split(separator: separator).contains(where: { $0 == "password" || $0 == "\"password\"" }) {
      throw ImportError(
        "the columns of the file are separated by \(words)",
        recoverySuggestion: "export it again, or save it from the spreadsheet, with commas between them")
    }
  }

  /// Returns the entry of a row; nil if a name is no UTF-8. A password may be any bytes.
  private static func entry(_ row: Row) -> ForeignEntry? {
    let names = [Column.title, .address, .username, .folder, .oneTimeCode, .identifier]
    let texts = names.compactMap { String(validating: row[$0], as: UTF8.self) }
    guard texts.count == names.count else { return nil }
    var entry = ForeignEntry()
    entry.title = texts[0]
    if !texts[1].isEmpty { entry.addresses = [texts[1]] }
    entry.username = texts[2]
    entry.folder = texts[3].split(separator: "/").map(String.init)
    if !texts[4].isEmpty { entry.oneTimeCode = entry.codeURL(ofSeed: texts[4]) ?? texts[4] }
    if !texts[5].isEmpty { entry.identifier = texts[5] }
    entry.password = row[.password]
    entry.notes = row[.notes]
    for (name, value) in [("httpRealm", row[.realm]), ("formActionOrigin", row[.formAddress])] + row.others
    where !value.isEmpty && value != row[.address] {
      entry.fields.append(ForeignEntry.Field(name: name, value: value))
    }
    entry.created = milliseconds(row[.createdMilliseconds]) ?? date(row[.created])
    entry.modified = milliseconds(row[.modifiedMilliseconds]) ?? date(row[.modified])
    let dates = [
      ("timeCreated", row[.createdMilliseconds], milliseconds(row[.createdMilliseconds])),
      ("timePasswordChanged", row[.modifiedMilliseconds], milliseconds(row[.modifiedMilliseconds])),
      ("Created", row[.created], date(row[.created])), ("Last Modified", row[.modified], date(row[.modified])),
    ]
    for (name, text, date) in dates where date == nil && !text.isEmpty {
      entry.fields.append(ForeignEntry.Field(name: name, value: text))
    }
    return entry
  }

  private static func milliseconds(_ text: [UInt8]) -> Date? {
    Double(String(decoding: text, as: UTF8.self)).flatMap { Date(timeIntervalSince1970: $0 / 1_000).ifReasonable }
  }

  private static func date(_ text: [UInt8]) -> Date? { Date(iso8601: String(decoding: text, as: UTF8.self)) }
}

/// Reads comma-separated values (RFC 4180): fields in quotes may have commas, newlines and doubled quotes.
struct CSVReader {
  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let maximumFieldCount = 256

  private let bytes: [UInt8]
  private var place = 0
  /// The line at which the last row began.
  private(set) var line = 0
  private var nextLine = 1

  init(_ bytes: [UInt8]) {
    let mark = InputFile.byteOrderMark
    self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
  }

  /// Returns the next row that is not empty; nil at the end. Throws for a quote that does not end, and for more fields
  /// than any export has.
  mutating func next() throws(ImportError) -> [[UInt8]]? {
    while place < bytes.count {
      line = nextLine
      let row = try row()
      if row != [[]] { return row }
    }
    return nil
  }

  private mutating func row() throws(ImportError) -> [[UInt8]] {
    var row: [[UInt8]] = []
    while true {
      guard row.count < Self.maximumFieldCount else {
        throw ImportError.malformed("CSV", "line \(line) has more than \(Self.maximumFieldCount) fields")
      }
      row.append(try field())
      guard place < bytes.count else { return row }
      let end = bytes[place]
      place += 1
      if end == Self.comma { continue }
      if end == Self.carriageReturn, place < bytes.count, bytes[place] == Self.newline { place += 1 }
      nextLine += 1
      return row
    }
  }

  private mutating func field() throws(ImportError) -> [UInt8] {
    guard place < bytes.count, bytes[place] == Self.quote else { return plainField() }
    place += 1
    var field: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == Self.quote {
        guard place < bytes.count, bytes[place] == Self.quote else {
          // What follows the quote up to the comma belongs to no field of any program; it is kept.
          return field + plainField()
        }
        place += 1
      } else if byte == Self.newline {
        nextLine += 1
      }
      field.append(byte)
    }
    throw ImportError.malformed("CSV", "the quotes of a field in line \(line) do not end")
  }

  private mutating func plainField() -> [UInt8] {
    let ends: [UInt8] = [Self.comma, Self.newline, Self.carriageReturn]
    let end = bytes[place...].firstIndex(where: ends.contains) ?? bytes.count
    defer { place = end }
    return Array(bytes[place..<end])
  }
}
