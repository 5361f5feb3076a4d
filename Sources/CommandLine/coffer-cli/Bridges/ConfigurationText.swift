internal import CofferSystem
internal import CofferVault

/// An entry `key = value` of a configuration file with tables (TOML) or sections (INI), after a comment that marks it.
/// All other lines of the file stay as they are.
struct EntrySetting: BridgeSetting {
  let file: UserFile
  /// The name in brackets; nil for an entry of TOML before all tables.
  let table: String?
  let key: String
  let wanted: String
  let mark: String
  /// Other names that the client takes for the same table.
  var otherTables: [String] = []
  /// A file that the client reads only if `file` does not exist.
  var hidden: UserFile?

  var place: String { Self.place(of: ConfigurationText.Entry(table: table, key: key, value: wanted), in: file) }

  func current() throws(VaultError) -> String? {
    try entries().first { $0.table == table && $0.key == key }?.value
  }

  func checkIsFree() throws(VaultError) {
    if let hidden, isAbsent(file.path), !isAbsent(hidden.path) {
      throw VaultError(
        .invalidArgument,
        "a new file \(file.path.sanitizedForTerminal(limit: .max)) would hide \(hidden.path); nothing was changed",
        recoverySuggestion: "copy it first: cp \(hidden.path.shellWord) \(file.path.shellWord)")
    }
    let text = ConfigurationText(try file.read() ?? "", mark: mark)
    let tables: [String?] = [table] + otherTables.map(Optional.some)
    let lines = tables.compactMap { text.foreignLine(table: $0, key: key, unless: wanted) }
    guard let line = lines.first else { return }
    throw VaultError(
      .invalidArgument,
      "\(file.path.sanitizedForTerminal(limit: .max)) sets \(key) already, in line \(line); nothing was changed",
      recoverySuggestion: "remove that entry, then try again")
  }

  func write() throws(VaultError) {
    var text = ConfigurationText(try file.read() ?? "", mark: mark)
    text.remove { $0.table == table && $0.key == key }
    text.insert(ConfigurationText.Entry(table: table, key: key, value: wanted))
    try file.write(text.text)
  }

  func present() throws(VaultError) -> [String] {
    try entries().filter { $0.key == key }.map { Self.place(of: $0, in: file) }
  }

  /// Removes the entries of all tables: each installation with another name has its own.
  func remove() throws(VaultError) {
    guard let former = try file.read() else { return }
    var text = ConfigurationText(former, mark: mark)
    text.remove { $0.key == key }
    guard text.text != former else { return }
    if text.text.isEmpty { try file.clear() } else { try file.write(text.text) }
  }

  func findings() throws(VaultError) -> [Finding] {
    guard let hidden, !isAbsent(hidden.path), let former = try file.read() else { return [] }
    var text = ConfigurationText(former, mark: mark)
    text.remove { $0.key == key }
    guard text.text.isEmpty, !former.isEmpty else { return [] }
    let bridge = mark.split(separator: " ").last ?? ""
    return .problem(
      .bridgeHidesFile, subject: file.path,
      message: "It hides \(hidden.path), and has only the entry for Coffer.",
      fix:
        "Begin with a copy of that file: run `coffer bridge remove \(bridge)`, `cp \(hidden.path.shellWord) \(file.path.shellWord)`, and then: \(Bridges.installCommand(forMark: mark))"
    )
  }

  private func entries() throws(VaultError) -> [ConfigurationText.Entry] {
    try file.read().map { ConfigurationText($0, mark: mark).entries } ?? []
  }

  private static func place(of entry: ConfigurationText.Entry, in file: UserFile) -> String {
    "\(entry.table.map { "[\($0)] " } ?? "")\(entry.key) = \(entry.value) in \(file.path)"
  }
}

/// The lines of a configuration file with tables (TOML) or sections (INI). A comment marks those that a bridge has
/// written.
struct ConfigurationText {
  /// A line `key = value`.
  struct Entry: Hashable {
    /// The name of its table; nil before the first one.
    let table: String?
    let key: String
    let value: String
  }

  private enum Line: Equatable {
    case mark
    case table(String)
    case entry(key: String, value: String)
    case other
  }

  private var lines: [String]
  private let mark: String

  init(_ text: String, mark: String) {
    lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false).map { String($0) ?? "" }
    if lines.last == "" { lines.removeLast() }
    self.mark = mark
  }

  var text: String { lines.map { $0 + "\n" }.joined() }

  /// The marked entries.
  var entries: [Entry] { allEntries.filter(\.isMarked).map(\.entry) }

  /// The names of all tables.
  var allTables: [String] { lines.compactMap { if case .table(let name) = parse($0) { name } else { nil } } }

  /// The values of all entries, whatever their table; nil if a key occurs twice.
  var allValues: [String: String]? {
    let entries = allEntries.map(\.entry)
    guard Set(entries.map(\.key)).count == entries.count else { return nil }
    return Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the number of the line, from 1, by which somebody else sets a key to something else than a value; nil if
  /// nobody does.
  func foreignLine(table: String?, key: String, unless value: String) -> Int? {
    let found = allEntries.first { entry, _, isMarked in
      guard !isMarked, entry != Entry(table: table, key: key, value: value) else { return false }
      let name = Self.comparable(entry.key)
      if entry.table == table, name == Self.comparable(key) { return true }
      // TOML also writes a table as keys: table.key = value, and table = { key = value }.
      guard entry.table == nil, let table = table.map(Self.comparable) else { return false }
      return name == table || name.hasPrefix("\(table).")
    }
    return found.map { $0.line + 1 }
  }

  /// A key without what some clients ignore: pip and Python's configparser take other cases for the same key, pip takes
  /// `_` for `-`, and TOML allows quotes.
  private static func comparable(_ key: String) -> String {
    key.lowercased().replacing("_", with: "-").filter { $0 != "\"" && $0 != "'" }
  }

  /// Inserts a marked entry at the beginning of its table. A table that is missing is added at the end, with a mark of
  /// its own. The same entry without a mark gets one: programs that write the file, such as `pip config`, drop
  /// comments.
  mutating func insert(_ entry: Entry) {
    if let found = allEntries.first(where: { $0.entry == entry }) {
      if !found.isMarked { lines.insert(mark, at: found.line) }
      return
    }
    let marked = [mark, "\(entry.key) = \(entry.value)"]
    guard let table = entry.table else { return lines.insert(contentsOf: marked, at: 0) }
    if let header = lines.indices.last(where: { parse(lines[$0]) == .table(table) }) {
      lines.insert(contentsOf: marked, at: header + 1)
    } else {
      lines += [mark, "[\(table)]"] + marked
    }
  }

  /// Removes marked entries, and the tables that were added for them, if nobody has put something else there.
  mutating func remove(where isRemoved: (Entry) -> Bool) {
    for (_, line, _) in allEntries.reversed() where isMarked(line) {
      guard case .entry(let key, let value) = parse(lines[line]) else { continue }
      let header = lines[..<line].indices.last { if case .table = parse(lines[$0]) { true } else { false } }
      var table: String?
      if let header, case .table(let name) = parse(lines[header]) { table = name }
      guard isRemoved(Entry(table: table, key: key, value: value)) else { continue }
      lines.removeSubrange((line - 1)...line)
      guard let header, isMarked(header) else { continue }
      lines.removeSubrange((header - 1)...(isEmptyTable(header) ? header : header - 1))
    }
  }

  private var allEntries: [(entry: Entry, line: Int, isMarked: Bool)] {
    var table: String?
    return lines.indices.compactMap { line in
      switch parse(lines[line]) {
      case .table(let name):
        table = name
        return nil
      case .entry(let key, let value): return (Entry(table: table, key: key, value: value), line, isMarked(line))
      case .mark, .other: return nil
      }
    }
  }

  private func isMarked(_ line: Int) -> Bool { line > 0 && parse(lines[line - 1]) == .mark }

  /// Whether a table has nothing but empty lines.
  private func isEmptyTable(_ header: Int) -> Bool {
    for line in lines[(header + 1)...] {
      switch parse(line) {
      case .table, .mark: return true
      case .entry: return false
      case .other: if line.contains(where: { !$0.isWhitespace }) { return false }
      }
    }
    return true
  }

  private func parse(_ line: String) -> Line {
    if !mark.isEmpty, line == mark { return .mark }
    if let match = line.wholeMatch(of: /[ \t]*\[[ \t]*([^\[\],]+?)[ \t]*\][ \t\r]*([#;].*)?/) {
      // TOML takes a name in quotes for the same.
      let name = match.output.1
      let isQuoted = name.count > 2 && name.first == name.last && (name.first == "\"" || name.first == "'")
      return .table(String(isQuoted ? name.dropFirst().dropLast() : name))
    }
    if let match = line.wholeMatch(of: /[ \t]*([A-Za-z0-9_."'\-]+)[ \t]*[=:][ \t]*(.*?)[ \t\r]*/) {
      return .entry(key: String(match.output.1), value: String(match.output.2))
    }
    return .other
  }
}
