internal import CofferSystem
internal import CofferVault

/// An entry `key = value` of a configuration file with tables (TOML) or sections (INI), after a comment that marks it. All
/// other lines of the file stay as they are.
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
    return [
      Finding(
        .bridgeHidesFile, .problem, subject: file.path,
        message: "It hides \(hidden.path), and has only the entry for Coffer.",
        fix:
          "Begin with a copy of that file: run `coffer bridge remove \(bridge)`, `cp \(hidden.path.shellWord) \(file.path.shellWord)`, and then: coffer bridge install \(bridge)"
      )
    ]
  }

  private func entries() throws(VaultError) -> [ConfigurationText.Entry] {
    try file.read().map { ConfigurationText($0, mark: mark).entries } ?? []
  }

  private static func place(of entry: ConfigurationText.Entry, in file: UserFile) -> String {
    "\(entry.table.map { "[\($0)] " } ?? "")\(entry.key) = \(entry.value) in \(file.path)"
  }
}
