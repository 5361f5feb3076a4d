internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// Items as JSON, one in each line: a file, or standard input.
struct ItemLineFile {
  /// An item, and the line that it is in, for errors.
  struct Entry {
    let item: ItemLine
    let place: String

    /// Adds the place to the error that `body` throws.
    func translating<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
      try ItemLineFile.translating(at: place, body)
    }
  }

  private static let limit = 256 << 20

  let entries: [Entry]

  /// Reads all lines. Empty ones are left out. Throws `invalidArgument` with the number of the first line that is no item.
  static func read(_ path: String) throws(VaultError) -> ItemLineFile {
    let contents = try SecretInput.contents(of: path, what: "items", limit: limit)
    var entries: [Entry] = []
    for (index, line) in contents.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { continue }
      let place = TextLine.place(line: index + 1, of: path)
      let item = try translating(at: place) { () throws(VaultError) in try ItemLine(json: line) }
      entries.append(Entry(item: item, place: place))
    }
    guard !entries.isEmpty else {
      throw VaultError(
        .invalidArgument, "there are no items; nothing was changed",
        recoverySuggestion: "give one JSON object in each line")
    }
    return ItemLineFile(entries: entries)
  }

  private static func translating<Result>(
    at place: String, _ body: () throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    do throws(VaultError) {
      return try VaultError.at(place, body)
    } catch {
      throw error.withoutChange
    }
  }

  /// Throws `invalidArgument` if two lines have the same item, of which the second would replace the first, or if a value is
  /// empty and `allowsEmpty` is not set. `fullName` returns the full name of the group of a line.
  func check(
    allowsEmpty: Bool, fullName: (String?) throws(VaultError) -> String
  ) throws(VaultError) {
    var places: [[String]: String] = [:]
    for entry in entries {
      guard allowsEmpty || !entry.item.value.isEmpty else {
        throw VaultError(
          .invalidArgument, "\(entry.place): the value is empty; nothing was changed",
          recoverySuggestion: "give a value, or add --allow-empty")
      }
      guard let key = entry.item.primaryKey(in: try fullName(entry.item.group)) else { continue }
      guard let first = places.updateValue(entry.place, forKey: key) else { continue }
      throw VaultError(
        .invalidArgument, "\(entry.place): \(first) has the same item; nothing was changed",
        recoverySuggestion: "give each item once")
    }
  }

  /// The groups that the lines name. Throws `invalidArgument` if only some of them name one.
  func groups() throws(VaultError) -> [String] {
    let names = Set(entries.map(\.item.group))
    guard !names.contains(nil) || names.count == 1 else {
      throw VaultError(
        .invalidArgument, "some lines name a group and others do not; nothing was changed",
        recoverySuggestion: "name the group in each line, or in none")
    }
    return names.compactMap(\.self).sorted()
  }
}

extension VaultError {
  /// Returns the error, which says that the lines before have changed nothing either.
  fileprivate var withoutChange: VaultError {
    VaultError(code, "\(message); nothing was changed", recoverySuggestion: recoverySuggestion)
  }
}
