internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeKeyringCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "keyring", abstract: "Answer pip, uv and others that run the program keyring.",
    discussion: """
      Takes the arguments of the program `keyring` of Python, and does the same with generic passwords. `set` reads the \
      password from standard input, without a newline at its end, or asks for it on the terminal. Exits with 1 if `get` finds \
      nothing.
      """)

  enum Operation: String, ExpressibleByArgument, CaseIterable { case get, set, del }
  enum Mode: String, ExpressibleByArgument, CaseIterable { case password, creds }
  enum Format: String, ExpressibleByArgument, CaseIterable { case plain, json }

  @Argument(help: "What to do: get, set or del.")
  var operation: Operation
  @Argument(help: "The service of the item.")
  var service: String
  @Argument(help: "The account of the item. With --mode creds it can be missing.")
  var username: String?
  @Option(help: "What get prints: the password, or the user name too.")
  var mode: Mode = .password
  @Option(help: "How get prints it.")
  var output: Format = .plain
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "pip, uv, keyring"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    [
      installation.program("keyring", isFoundByName: true),
      installation.entry(
        "keyring-provider", "subprocess", table: "global",
        in: .named(by: "PIP_CONFIG_FILE", or: .configuration("pip/pip.conf"))),
      installation.entry(
        "keyring-provider", "\"subprocess\"", table: nil,
        in: .named(by: "UV_CONFIG_FILE", or: .configuration("uv/uv.toml"))),
    ]
  }

  func validate() throws {
    if username == nil, operation != .get || mode != .creds { throw ValidationError("give the user name") }
  }

  func run() throws {
    let bridge = KeyringBridge(actor: actor, group: group.group, service: service)
    switch operation {
    case .get:
      guard let found = try bridge.find(username) else { throw ExitCode(1) }
      try Terminal.write(output == .json ? found.json(mode) : found.plain(mode))
    case .set:
      guard let username else { return }
      try bridge.store(newPassword(for: username), for: username)
    case .del:
      guard let username else { return }
      try bridge.delete(username)
    }
  }

  private func newPassword(for username: String) throws(VaultError) -> Data {
    guard Terminal.isInput else {
      var password = try SecretInput.contents(of: "-", what: "password")
      if password.last == 10 { password.removeLast() }
      return password
    }
    return try SecretInput.value(named: "\(service), \(username)", allowsEmpty: true, stripsNewline: true)
  }
}

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
      return try Output.jsonLine(object)
    }
  }

  /// What tells the items apart that programs of Python have stored.
  private static let label = "Keyring Password"

  let actor: ActorOptions
  let group: String?
  let service: String

  /// Returns the password of a user or, without a name, the newest one of the service that `store` has written: others
  /// of the service, such as docker's and those of apps, can be for something else. Nil if there is none.
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
    // With another label, docker would not find its own.
    try vault.checkIsFree(labelled, in: group, for: "keyring") { $0 == DockerBridge.label }
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
