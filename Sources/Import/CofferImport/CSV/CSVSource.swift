internal import CofferPlatform
internal import CofferSystem

/// The passwords that Chrome, Firefox, Apple Passwords or KeePassXC export as CSV, and those of `coffer export csv`.
/// The names in the first line tell them apart.
package struct CSVSource: EntrySource {
  private let input: SourceInput

  package init(_ input: SourceInput) { self.input = input }

  /// What the columns of all these programs mean.
  private static func columns() -> [String: WritableKeyPath<Row, [UInt8]>] {
    [
      "title": \.title, "name": \.title, "url": \.address, "username": \.username, "password": \.password,
      "note": \.notes, "notes": \.notes, "otpauth": \.oneTimeCode, "totp": \.oneTimeCode, "group": \.folder,
      "folder": \.folder, "httprealm": \.realm, "formactionorigin": \.formAddress, "guid": \.identifier,
      "timecreated": \.createdMilliseconds, "timepasswordchanged": \.modifiedMilliseconds, "created": \.created,
      "last modified": \.modified,
    ]
  }

  private struct Row {
    var title: [UInt8] = []
    var address: [UInt8] = []
    var username: [UInt8] = []
    var password: [UInt8] = []
    var notes: [UInt8] = []
    var oneTimeCode: [UInt8] = []
    var folder: [UInt8] = []
    var realm: [UInt8] = []
    var formAddress: [UInt8] = []
    var identifier: [UInt8] = []
    var createdMilliseconds: [UInt8] = []
    var modifiedMilliseconds: [UInt8] = []
    var created: [UInt8] = []
    var modified: [UInt8] = []
    var others: [(name: String, value: [UInt8])] = []
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
    let columns = Self.columns()
    while let fields = try reader.next() {
      let place = "line \(reader.line)"
      guard fields.count == names.count else {
        try sink.skip(place, because: "it has \(fields.count) fields, and the first line \(names.count)")
        continue
      }
      var row = Row()
      for (index, field) in fields.enumerated() {
        // Two columns may mean the same, such as note and notes: the first one that is not empty counts.
        if let column = columns[names[index]], row[keyPath: column].isEmpty {
          row[keyPath: column] = field
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
    let names = [row.title, row.address, row.username, row.folder, row.oneTimeCode, row.identifier]
    let texts = names.compactMap { String(validating: $0, as: UTF8.self) }
    guard texts.count == names.count else { return nil }
    var entry = ForeignEntry()
    entry.title = texts[0]
    if !texts[1].isEmpty { entry.addresses = [texts[1]] }
    entry.username = texts[2]
    entry.folder = texts[3].split(separator: "/").map(String.init)
    if !texts[4].isEmpty { entry.oneTimeCode = entry.codeURL(ofSeed: texts[4]) ?? texts[4] }
    if !texts[5].isEmpty { entry.identifier = texts[5] }
    entry.password = row.password
    entry.notes = row.notes
    for (name, value) in [("httpRealm", row.realm), ("formActionOrigin", row.formAddress)] + row.others
    where !value.isEmpty && value != row.address {
      entry.fields.append(ForeignEntry.Field(name: name, value: value))
    }
    entry.created = milliseconds(row.createdMilliseconds) ?? date(row.created)
    entry.modified = milliseconds(row.modifiedMilliseconds) ?? date(row.modified)
    let dates = [
      ("timeCreated", row.createdMilliseconds, milliseconds(row.createdMilliseconds)),
      ("timePasswordChanged", row.modifiedMilliseconds, milliseconds(row.modifiedMilliseconds)),
      ("Created", row.created, date(row.created)), ("Last Modified", row.modified, date(row.modified)),
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
