internal import Coffer
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// Which access group the entries of each folder of a source go to: a file of JSON that a person edits.
struct FolderMapping {
  /// Where the entries of a folder go.
  enum Destination: Hashable {
    /// An access group, as users write it; nil for the default.
    case group(String?)
    case nowhere
  }

  private var folders: [String: Destination] = [:]
  private let standard: Destination

  /// Everything goes to one group.
  init(group: String?) { standard = .group(group) }

  /// Reads a mapping. A folder that it does not have is mapped as the nearest folder around it, and `group` is for folders
  /// that are in none.
  init(reading path: String, group: String?) throws(VaultError) {
    standard = .group(group)
    let data = try SecretInput.contents(of: path, what: "mapping")
    guard let file = try? JSONDecoder().decode([String: [String: String?]].self, from: data), file.count == 1,
      let found = file["folders"]
    else {
      throw VaultError(
        .invalidArgument, "the mapping \(path.sanitizedForTerminal(limit: .max)) is not {\"folders\": {FOLDER: GROUP}}",
        recoverySuggestion: "write a new one with: coffer import SOURCE PATH --write-mapping FILE")
    }
    for (folder, group) in found {
      folders[folder] = group.map { $0.isEmpty ? standard : .group($0) } ?? .nowhere
    }
  }

  /// Returns where the entries of a folder go.
  func destination(of folder: String) -> Destination {
    var path = folder[...]
    while true {
      if let found = folders[String(path)] { return found }
      guard let slash = path.lastIndex(of: "/") else { return folders[""] ?? standard }
      path = path[..<slash]
    }
  }

  /// The groups to which anything may go.
  var groups: [String?] {
    let all = (folders[""] == nil ? [standard] : []) + folders.values
    var groups: [String?] = []
    for case .group(let group) in all where !groups.contains(group) { groups.append(group) }
    return groups
  }

  /// Returns the folders that the mapping names, and that neither are nor contain one of these, sorted.
  func folders(missingFrom found: Set<String>) -> [String] {
    folders.keys.filter { key in
      !key.isEmpty && !found.contains { $0 == key || $0.hasPrefix(key + "/") }
    }.sorted()
  }

  /// Writes the mapping of these folders to the default group, to be edited.
  static func write(_ folders: some Sequence<String>, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let all = Dictionary(folders.map { ($0, "") }, uniquingKeysWith: { first, _ in first })
    try ReplacedFile.write([UInt8](encoder.encode(["folders": all])) + [UInt8(ascii: "\n")], to: path)
  }
}
