internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTransfer
internal import CofferVault

/// What a command prints of an import.
extension ImportReport {
  /// How to delete the source; nil while it has something that the vault does not have.
  private var advice: String? {
    guard !isDryRun, skipped.isEmpty, newCount + sameCount + changedCount > 0 else { return nil }
    return source.cleaningAdvice(for: path)
  }

  var json: JSONObject {
    [
      "source": source.rawValue, "isDryRun": isDryRun, "entryCount": entryCount, "newCount": newCount,
      "sameCount": sameCount, "changedCount": changedCount,
      "skipped": skipped.map { JSONObject(dictionaryLiteral: ("name", $0.name), ("reason", $0.reason)) },
      "advice": advice,
    ]
  }

  var lines: [String] {
    var lines = skipped.map { Output.cell("skipped: \($0.name): \($0.reason)") }
    let done = isDryRun ? "would be" : newCount == 1 ? "was" : "were"
    lines.append(
      "\(counted(entryCount, "entry", "entries")): \(counted(newCount, "item")) \(done) imported and read back, \(changedCount.grouped) replaced; \(sameCount.grouped) are there already, \(skipped.count.grouped) skipped"
    )
    if isDryRun { lines[lines.count - 1] = lines[lines.count - 1].replacing(" and read back", with: "") }
    if let advice {
      lines.append("Nothing was deleted at the source. \(advice)")
    } else if !isDryRun, !skipped.isEmpty {
      lines.append("Nothing was deleted at the source. Keep it: what was skipped is only there")
    }
    return lines
  }
}

/// A mapping as a file of JSON that a person edits.
extension FolderMapping {
  /// Reads a mapping. A folder that it does not have is mapped as the nearest folder around it, and `group` is for
  /// folders that are in none.
  init(reading path: String, group: String?) throws(VaultError) {
    let data = try SecretInput.contents(of: path, what: "mapping")
    guard let file = try? JSONDecoder().decode([String: [String: String?]].self, from: data), file.count == 1,
      let found = file["folders"]
    else {
      throw VaultError(
        .invalidArgument, "the mapping \(path.sanitizedForTerminal(limit: .max)) is not {\"folders\": {FOLDER: GROUP}}",
        recoverySuggestion: "write a new one with: coffer import SOURCE PATH --write-mapping FILE")
    }
    self.init(folders: found, group: group)
  }

  /// Writes the mapping of these folders to the default group, to be edited.
  static func write(_ folders: some Sequence<String>, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let all = Dictionary(folders.map { ($0, "") }, uniquingKeysWith: { first, _ in first })
    try ReplacedFile.write([UInt8](encoder.encode(["folders": all])) + [UInt8(ascii: "\n")], to: path)
  }
}

extension ImportSource: ExpressibleByArgument {
  /// How a person removes what was imported from the source, which Coffer never does. `path` is what was read.
  func cleaningAdvice(for path: String?) -> String {
    switch self {
    case .pass, .gopass, .passage:
      "When you have checked the items, delete the store with: rm -r \((path ?? "").shellWord)"
    case .secretService:
      "Programs find the items once Coffer is the Secret Service: coffer secret-service install. Then delete them in the program of the keyring, such as seahorse"
    case .dotenv: "When the project runs with coffer run, delete the file or replace its values by references"
    default:
      "The exported file has all secrets in plain text: delete it with: rm \((path ?? "").shellWord), and then the entries in the other program\(exception(for: path))"
    }
  }

  /// Which entries to keep in the other program, because its exports never have all of them.
  private func exception(for path: String?) -> String {
    let lack: String? =
      switch self {
      case .securityDump, .json: nil
      case .keepassxc where path?.lowercased().hasSuffix(".csv") != true: nil
      case .bitwarden, .cxf: "attachments"
      case .onePassword: "passkeys"
      default: "attachments, further fields, passkeys or a history"
      }
    return lack.map { ", but not those with \($0): such a file has none" } ?? ""
  }
}
