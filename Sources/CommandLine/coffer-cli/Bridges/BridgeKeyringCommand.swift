internal import ArgumentParser
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
