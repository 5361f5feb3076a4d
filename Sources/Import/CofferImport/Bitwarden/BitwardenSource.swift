internal import CofferPlatform
internal import CofferSystem

/// The JSON export of Bitwarden and Vaultwarden, plain or protected with a password of its own.
package struct BitwardenSource: EntrySource {
  private let input: SourceInput
  /// Returns the password of the file.
  private let password: () throws -> [UInt8]

  package init(_ input: SourceInput, password: @escaping () throws -> [UInt8]) {
    self.input = input
    self.password = password
  }

  private static let format = "export of Bitwarden"

  package func read(into sink: inout EntrySink) throws {
    var export = try JSONFile.value(input.contents(for: &sink), what: Self.format)
    if export["encrypted"] == .bool(true) { export = try opened(export) }
    guard case .array(let items)? = export["items"] else {
      throw ImportError.malformed(Self.format, "it has no items")
    }
    var folders: [String: String] = [:]
    for folder in (export["folders"]?.elements ?? []) + (export["collections"]?.elements ?? []) {
      if let id = folder["id"]?.text, let name = folder["name"]?.text { folders[id] = name }
    }
    try sink.count(items.count)
    for item in items { try sink.add(BitwardenItem(item, folders: folders).entry) }
  }

  private func opened(_ export: JSONValue) throws -> JSONValue {
    guard export["passwordProtected"] == .bool(true), let data = export["data"]?.text else {
      throw ImportError(
        "the export is account restricted: only Bitwarden can read it, with the keys of the account",
        recoverySuggestion: "export again as .json, or as .json (encrypted) with the type \"password protected\"")
    }
    let seal = try BitwardenSeal(export, password: password())
    guard let check = export["encKeyValidation_DO_NOT_EDIT"]?.text, seal.open(check) != nil else {
      throw ImportError(
        "the password of the export is wrong, or the file was changed",
        recoverySuggestion: "import it with the password that was chosen for this export, or export again")
    }
    guard let bytes = seal.open(data) else {
      throw ImportError.malformed(Self.format, "its encrypted data was changed")
    }
    return try JSONFile.value(bytes, what: Self.format)
  }
}
