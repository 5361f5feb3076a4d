internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// A member of the JSON object that is another program's configuration.
struct JSONMemberSetting: BridgeSetting {
  let file: UserFile
  let key: String
  let wanted: String

  var place: String { "\(key) = \(wanted) in \(file.path)" }

  func current() throws(VaultError) -> String? {
    try read()[key] == .string(wanted) ? wanted : nil
  }

  func checkIsFree() throws(VaultError) {
    guard let other = try read()[key], other != .string(wanted) else { return }
    let name = if case .string(let text) = other { text.sanitizedForTerminal() } else { "no text" }
    throw VaultError(
      .invalidArgument, "\(key) in \(file.path.sanitizedForTerminal(limit: .max)) is \(name); nothing was changed",
      recoverySuggestion: "remove the entry \(key) from \(file.path.shellWord), then try again")
  }

  func write() throws(VaultError) {
    var members = try read()
    members[key] = .string(wanted)
    try write(members)
  }

  func remove() throws(VaultError) {
    var members = try read()
    guard members[key] == .string(wanted) else { return }
    members[key] = nil
    if members.isEmpty { try file.clear(leaving: "{}\n") } else { try write(members) }
  }

  private func read() throws(VaultError) -> [String: JSONValue] {
    guard let text = try file.read(), !text.isEmpty else { return [:] }
    guard case .object(let members)? = JSONValue(json: text.utf8) else {
      throw VaultError(
        .invalidArgument, "\(file.path.sanitizedForTerminal()) is no JSON object; nothing was changed",
        recoverySuggestion: "repair or remove the file, then try again")
    }
    return members
  }

  private func write(_ members: [String: JSONValue]) throws(VaultError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try file.write(String(decoding: encoder.encode(JSONValue.object(members)), as: UTF8.self) + "\n")
    } catch {
      throw VaultError(translating: error)
    }
  }
}
