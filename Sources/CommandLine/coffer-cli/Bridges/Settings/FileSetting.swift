internal import CofferSystem
internal import CofferVault

/// A configuration file of which the bridge writes all lines. The first one is its mark. What a user adds after them stays.
struct FileSetting: BridgeSetting {
  let file: UserFile
  let mark: String
  let text: String

  var place: String { file.path }
  var wanted: String { "\(mark)\n\(text)" }

  func current() throws(VaultError) -> String? {
    try file.read().flatMap { $0.hasPrefix(wanted) ? wanted : nil }
  }

  func checkIsFree() throws(VaultError) {
    guard try file.read() != nil, try current() == nil else { return }
    throw VaultError(
      .invalidArgument,
      "\(file.path.sanitizedForTerminal(limit: .max)) was written by somebody else; nothing was changed",
      recoverySuggestion:
        "move it away with `mv \(file.path.shellWord) \((file.path + ".old").shellWord)`, then try again")
  }

  func write() throws(VaultError) { try file.write(wanted, mode: 0o644) }

  func remove() throws(VaultError) {
    guard let text = try file.read(), text.hasPrefix(wanted) else { return }
    let rest = text.dropFirst(wanted.count)
    if rest.isEmpty { try file.delete() } else { try file.write(String(rest)) }
  }
}
