internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The generic passwords of a service, as the program keyring shows them.
struct KeyringBridge {
  /// A password with its user name.
  struct Found {
    fileprivate let username: String
    fileprivate let password: Data
    fileprivate let value: BridgeValue

    private struct Object: Encodable {
      var username: String?
      let password: String
    }

    /// The bytes that `keyring get` prints without options. Throws `invalidArgument` for what would be other lines.
    func plain(_ mode: BridgeKeyringCommand.Mode) throws(VaultError) -> Data {
      guard mode == .creds else { return password + [10] }
      guard !username.utf8.contains(where: { $0 == 10 || $0 == 13 }) else {
        throw value.refusal("has a user name of several lines")
      }
      return Data("\(username)\n".utf8) + (try value.line()) + [10]
    }

    /// Throws `invalidArgument` for a password that is no text.
    func json(_ mode: BridgeKeyringCommand.Mode) throws -> Data {
      let object = Object(username: mode == .creds ? username : nil, password: try value.text())
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(object) + [10]
    }
  }

  /// What tells the items apart that programs of Python have stored.
  private static let label = "Keyring Password"

  let actor: ActorOptions
  let group: String?
  let service: String

  /// Returns the password of a user or, without a name, the newest one of the service that `store` has written: others of the
  /// service, such as docker's and those of apps, can be for something else. Nil if there is none.
  func find(_ username: String?) throws(VaultError) -> Found? {
    let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
    var name = username
    var accessGroup = group
    if name == nil {
      let query = ItemQuery<GenericPassword>(in: group).matching(.service, service).matching(.label, Self.label)
      let newest = try vault.list(query).items.max { $0.modified < $1.modified }
      name = newest?.item.account
      accessGroup = newest?.accessGroup
    }
    guard let name, let password = try vault.value(for: item(name), in: accessGroup) else { return nil }
    return Found(
      username: name, password: password, value: BridgeValue(password, of: service, name, for: "the program keyring"))
  }

  func store(_ password: Data, for username: String) throws(VaultError) {
    let vault = try actor.openForBridge(for: .writing(group), group: group)
    // The same again is no new version.
    guard try vault.bytesToCompare(for: item(username), in: group) != [UInt8](password) else { return }
    var labelled = item(username)
    labelled.label = Self.label
    try vault.set(password, for: labelled, in: group)
  }

  func delete(_ username: String) throws(VaultError) {
    guard try actor.deleteForBridge(service, username, group: group) else {
      throw VaultError(
        .itemNotFound, "there is no password of \(service.sanitizedForTerminal()), \(username.sanitizedForTerminal())",
        recoverySuggestion: "see which there are with: coffer list")
    }
  }

  private func item(_ username: String) -> GenericPassword { GenericPassword(service: service, account: username) }
}
