internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeDockerCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "docker", abstract: "Answer docker, podman and skopeo, which run this as their credential helper.",
    discussion: "They write what they want to standard input, and read errors from standard output.")
  @Argument(help: "What they want: get, store, erase or list.")
  var verb: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "docker, podman, skopeo"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    let helper = "coffer"
    return [
      installation.program("docker-credential-\(helper)", isFoundByName: true),
      JSONMemberSetting(
        file: .inFolder(namedBy: "DOCKER_CONFIG", "config.json", or: .home(".docker/config.json")), key: "credsStore",
        wanted: helper),
      // podman and skopeo know no credsStore.
      FileSetting(
        file: .configuration("containers/registries.conf.d/coffer.conf"), mark: installation.mark,
        text: "credential-helpers = [\"\(helper)\"]\n"),
    ]
  }

  func run() throws {
    do {
      let input = verb == "list" ? Data() : try SecretInput.contents(of: "-", what: "message")
      try Terminal.write(DockerBridge(actor: actor, group: group.group).answer(verb, input))
    } catch let refusal as DockerBridge.Refusal {
      try Output.line(refusal.text)
      throw ExitCode(1)
    } catch let error as VaultError {
      // The clients show standard output.
      try Output.line("coffer: \(error.description)")
      throw ExitCode(1)
    }
  }
}

/// Answers docker, podman and skopeo as their credential helper. One server has one user.
struct DockerBridge {
  /// An error in the words that the clients compare, on standard output.
  struct Refusal: Error {
    let text: String

    static let notFound = Refusal(text: "credentials not found in native keychain")
    static let noServer = Refusal(text: "no credentials server URL")
    static let noUser = Refusal(text: "no credentials username")
  }

  private struct Credentials: Codable {
    // The names of docker.
    let ServerURL: String
    let Username: String
    let Secret: String
  }

  private typealias Found = StoredItem<GenericPassword>

  /// What tells the items of docker apart.
  static let label = "Docker Credentials"

  let actor: ActorOptions
  let group: String?

  /// Does what a verb asks, and returns the answer. Throws a ``Refusal``, or an error of the vault.
  func answer(_ verb: String, _ input: Data) throws -> Data {
    switch verb {
    case "get": return try get(Self.server(input))
    case "store": try store(input)
    case "erase": try erase(Self.server(input))
    case "list": return try list()
    default: throw Refusal(text: "unknown credential action `\(verb)`")
    }
    return Data()
  }

  private static func server(_ input: Data) throws -> String {
    guard let text = String(validating: input, as: UTF8.self) else { throw Refusal.noServer }
    let server = text.trimmedSpace
    guard !server.isEmpty else { throw Refusal.noServer }
    return server
  }

  private func get(_ server: String) throws -> Data {
    // The clients take any other error for one that ends a pull of a public image.
    guard try !actor.isVaultAbsent() else { throw Refusal.notFound }
    let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
    guard let found = try items(of: server, in: vault).first,
      let secret = try vault.string(for: found.item, in: found.accessGroup)
    else { throw Refusal.notFound }
    return try Output.jsonLine(Credentials(ServerURL: server, Username: found.item.account, Secret: secret))
  }

  private func store(_ input: Data) throws {
    guard let credentials = try? JSONDecoder().decode(Credentials.self, from: input) else {
      throw Refusal(text: "the credentials are no JSON with ServerURL, Username and Secret")
    }
    guard !credentials.ServerURL.isEmpty else { throw Refusal.noServer }
    guard !credentials.Username.isEmpty else { throw Refusal.noUser }
    let vault = try actor.openForBridge(for: .writing(group), group: group)
    let groups = Set(try vault.accessGroups.filter(\.isWritable).map(\.name))
    try vault.transaction {
      var known = false
      for found in try items(of: credentials.ServerURL, in: vault) where groups.contains(found.accessGroup) {
        if found.item.account != credentials.Username {
          try vault.delete(found.item, in: found.accessGroup)
        } else if try vault.bytesToCompare(for: found.item, in: found.accessGroup)
          == Array(credentials.Secret.utf8)
        {
          // The same again is no new version.
          known = true
        }
      }
      guard !known else { return }
      let item = GenericPassword(
        service: credentials.ServerURL, account: credentials.Username, label: Self.label)
      // A logout would delete what the user has stored there.
      try vault.checkIsFree(item, in: group, for: "docker") { $0 != Self.label }
      try vault.set(credentials.Secret, for: item, in: group)
    }
  }

  /// Erasing what is not there is no error: a logout asks for several forms of one address.
  private func erase(_ server: String) throws {
    guard try !actor.isVaultAbsent() else { return }
    let vault = try actor.openForBridge(for: .changing(group), group: group)
    let groups = Set(try vault.accessGroups.filter(\.isWritable).map(\.name))
    for found in try items(of: server, in: vault) where groups.contains(found.accessGroup) {
      try vault.delete(found.item, in: found.accessGroup)
    }
  }

  private func list() throws -> Data {
    guard try !actor.isVaultAbsent() else { return try Output.jsonLine([String: String]()) }
    let vault = try actor.openForBridge(for: .reading(group), group: group)
    let found = try vault.list(ItemQuery<GenericPassword>(in: group).matching(.label, Self.label)).items
    return try Output.jsonLine(
      Dictionary(found.map { ($0.item.service, $0.item.account) }, uniquingKeysWith: { first, _ in first }))
  }

  private func items(of server: String, in vault: Vault) throws -> [Found] {
    let query = ItemQuery<GenericPassword>(in: group).matching(.service, server).matching(.label, Self.label)
    return try vault.list(query).items.sorted { $0.modified > $1.modified }
  }
}
