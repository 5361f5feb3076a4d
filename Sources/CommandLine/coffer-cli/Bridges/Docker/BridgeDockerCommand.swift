internal import ArgumentParser
internal import CofferPlatform
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
