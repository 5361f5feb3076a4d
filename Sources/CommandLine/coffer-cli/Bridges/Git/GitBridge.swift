internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// Answers git as one of its credential helpers.
struct GitBridge {
  private typealias Found = StoredItem<InternetPassword>

  let actor: ActorOptions
  let group: String?

  /// Does what a verb of the protocol asks, and returns the answer. An unknown verb asks for nothing.
  func answer(_ verb: String, _ input: () throws(VaultError) -> Data) throws(VaultError) -> Data {
    switch verb {
    case "capability": return Data("version 0\ncapability authtype\n".utf8)
    case "get": return try get(GitCredential(input()))
    case "store": try store(GitCredential(input()))
    case "erase": try erase(GitCredential(input()))
    default: break
    }
    return Data()
  }

  private func get(_ message: GitCredential) throws(VaultError) -> Data {
    guard let place = GitPlace(message), try !actor.isVaultAbsent() else { return Data() }
    let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
    for found in try matches(place, in: vault) {
      guard let value = try vault.value(for: found.item, in: found.accessGroup) else { continue }
      let secret = try GitSecret(value)
      // git cannot be told a name that would be another line.
      guard !found.item.account.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" }) else {
        continue
      }
      if let answer = try Self.answer(secret, account: found.item.account, to: message) { return answer }
    }
    return Data()
  }

  /// Returns the lines for a secret; nil if who asks could do nothing with it.
  private static func answer(_ secret: GitSecret, account: String, to message: GitCredential) throws(VaultError)
    -> Data?
  {
    var lines: [(String, [UInt8])] = []
    if let credential = secret["credential"], let kind = secret["authtype"] {
      // Only who understands it may be told of it.
      guard message.capabilities.contains("authtype") else { return nil }
      lines = [("capability[]", Array("authtype".utf8)), ("authtype", kind), ("credential", credential)]
    } else {
      lines = [("username", Array(account.utf8))]
      // A program that knows of no expiry would try an expired password. Its refresh token is still of use.
      if !secret.isExpired(asOf: Date()) {
        lines.append(("password", secret.password))
        if let expiry = secret["password_expiry_utc"] { lines.append(("password_expiry_utc", expiry)) }
      }
      if let token = secret["oauth_refresh_token"] { lines.append(("oauth_refresh_token", token)) }
    }
    guard lines.allSatisfy({ $0.0.utf8.count + 1 + $0.1.count <= GitCredential.maximumLineByteCount }) else {
      throw GitSecret.unusable
    }
    return lines.reduce(into: Data()) { $0 += Data("\($1.0)=".utf8) + Data($1.1) + [10] }
  }

  private func store(_ message: GitCredential) throws(VaultError) {
    guard let place = GitPlace(message), let secret = GitSecret(storing: message, asOf: Date()) else { return }
    let vault = try actor.openForBridge(for: .writing(group), group: group)
    let item = place.item
    let groups = Set(try vault.accessGroups.filter(\.isWritable).map(\.name))
    // git stores what has worked each time: the same again is no new version.
    for found in try matches(place, in: vault)
    where found.item.account == item.account && (found.item.path ?? "") == (item.path ?? "") {
      if let value = try vault.bytesToCompare(for: found.item, in: found.accessGroup),
        let known = try? GitSecret(Data(value)),
        secret.isContained(in: known)
      {
        return
      }
      guard groups.contains(found.accessGroup) else { continue }
      try vault.update(found.item, in: found.accessGroup, value: secret.value)
      return
    }
    try vault.set(secret.value, for: item, in: group)
  }

  private func erase(_ message: GitCredential) throws(VaultError) {
    guard let place = GitPlace(message) else { return }
    let vault = try actor.openForBridge(for: .changing(group), group: group)
    let groups = Set(try vault.accessGroups.filter(\.isWritable).map(\.name))
    for found in try matches(place, in: vault) where groups.contains(found.accessGroup) {
      if message["password"] != nil || message["credential"] != nil {
        guard let value = try vault.bytesToCompare(for: found.item, in: found.accessGroup),
          let secret = try? GitSecret(Data(value)),
          message["password"].map({ $0 == secret.password }) ?? true,
          message["credential"].map({ $0 == secret["credential"] }) ?? true
        else { continue }
      }
      try vault.delete(found.item, in: found.accessGroup)
    }
  }

  /// Returns the passwords for a place, the newest first.
  private func matches(_ place: GitPlace, in vault: Vault) throws(VaultError) -> [Found] {
    try vault.list(place.query(in: group)).items.filter { place.includes($0.item) }
      .sorted { $0.modified > $1.modified }
  }
}
