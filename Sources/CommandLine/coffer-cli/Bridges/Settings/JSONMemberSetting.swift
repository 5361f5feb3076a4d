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
    try read()?[key] == .string(wanted) ? wanted : nil
  }

  func checkIsFree() throws(VaultError) {
    guard let other = try read()?[key], other != .string(wanted) else { return }
    let name = if case .string(let text) = other { text.sanitizedForTerminal() } else { "no text" }
    throw VaultError(
      .invalidArgument, "\(key) in \(file.path.sanitizedForTerminal(limit: .max)) is \(name); nothing was changed",
      recoverySuggestion: "remove the entry \(key) from \(file.path.shellWord), then try again")
  }

  func write() throws(VaultError) {
    let object = try read() ?? JSONObjectText.empty
    if object[key] == nil { try file.write(object.adding(key, wanted)) }
  }

  func remove() throws(VaultError) {
    guard let object = try read(), object[key] == .string(wanted) else { return }
    let text = object.removing(key)
    if JSONObjectText(text)?.isEmpty ?? true { try file.clear(leaving: "{}\n") } else { try file.write(text) }
  }

  /// Reads the file; nil if there is none, or it has nothing.
  private func read() throws(VaultError) -> JSONObjectText? {
    guard let text = try file.read(), !text.isEmpty else { return nil }
    guard let object = JSONObjectText(text) else { throw file.unusable("is no JSON object") }
    return object
  }
}
