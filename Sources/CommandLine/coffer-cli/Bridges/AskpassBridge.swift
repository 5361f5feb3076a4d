internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// Answers ssh, ssh-add and git in place of a dialog.
struct AskpassBridge {
  let actor: ActorOptions
  let group: String?

  private static let service = "ssh"
  /// ssh reads 1,023 bytes, with the newline.
  private static let maximumByteCount = 1_022

  /// Returns the answer, a line without its newline; nil if the vault does not have it.
  func answer(_ prompt: AskpassPrompt) throws(VaultError) -> Data? {
    switch prompt {
    case .passphrase(let file):
      let path = file.hasPrefix("/") ? file : "\(CurrentProcess.workingDirectory ?? "")/\(file)"
      let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
      let value = try vault.value(for: GenericPassword(service: Self.service, account: path), in: group)
      return try value.map { value throws(VaultError) in try line(value, Self.service, path) }
    case .password(let user, let server):
      let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
      let query = ItemQuery<InternetPassword>(in: group).matching(.server, server).matching(.account, user)
      let items = try vault.list(query).items.sorted { $0.modified > $1.modified }
      // Only a password of the whole server that names no protocol is for any of them.
      let found =
        items.first { $0.item.protocol == .ssh }
        ?? items.first {
          $0.item.namedProtocol == nil && ($0.item.port ?? 0) == 0
            && ($0.item.path ?? "").isEmpty && ($0.item.securityDomain ?? "").isEmpty
        }
      guard let found, let value = try vault.value(for: found.item, in: found.accessGroup) else { return nil }
      return try line(value, server, user)
    case .gitUser(let url): return try git(url, "username")
    case .gitPassword(let url): return try git(url, "password")
    case .other: return nil
    }
  }

  private func line(_ value: Data, _ service: String, _ account: String) throws(VaultError) -> Data {
    try BridgeValue(value, of: service, account, for: "ssh").line(maximumByteCount: Self.maximumByteCount)
  }

  /// Returns a field of what the bridge for git answers for a URL.
  private func git(_ url: String, _ field: String) throws(VaultError) -> Data? {
    guard let match = url.wholeMatch(of: /([a-z][a-z0-9+.\-]*):\/\/(?:([^@\/]+)@)?([^@\/]+)(?:\/(.*))?/) else {
      return nil
    }
    let parts = [
      ("protocol", match.output.1), ("username", match.output.2), ("host", match.output.3), ("path", match.output.4),
    ]
    var message = Data()
    for case (let key, let value?) in parts {
      // A newline would be another field.
      guard let bytes = PercentEscapes.decode(value), !bytes.contains(10) else { return nil }
      message += Data("\(key)=".utf8) + Data(bytes) + [10]
    }
    let answer = try GitBridge(actor: actor, group: group).answer("get") { () throws(VaultError) in message }
    let name = Data("\(field)=".utf8)
    return answer.split(separator: 10).first { $0.starts(with: name) }.map { Data($0.dropFirst(name.count)) }
  }
}
