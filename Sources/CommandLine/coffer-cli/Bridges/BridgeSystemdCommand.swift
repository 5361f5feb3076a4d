internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeSystemdCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "systemd", abstract: "Answer systemd, which asks for a unit's credential on a socket.",
    discussion: """
      systemd starts this for each connection to %t/coffer/credentials, which a unit names with LoadCredential=ID:PATH. Writes \
      the generic password with the name of the unit as its service and the ID of the credential as its account. If there is \
      none or it cannot be read, systemd does not start the unit.
      """)
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "units of systemd (LoadCredential=)"

  static func settings(_ installation: BridgeInstallation) throws(VaultError) -> [any BridgeSetting] {
    let program = installation.program("coffer-systemd-credential")
    return [program, try SystemdSocketSetting(program: program.path)]
  }

  static func advice(_ installation: BridgeInstallation) -> [String] {
    [
      "Store a credential with: coffer set NAME.service ID",
      "Let the unit have it with: LoadCredential=ID:%t/coffer/credentials",
    ]
  }

  func run() throws {
    let peer = try CredentialRequest.peer(of: STDIN_FILENO)
    do throws(VaultError) {
      let request = try CredentialRequest.named(by: peer.name)
      try request.check(peer.process)
      try Terminal.write(value(for: request))
    } catch {
      // The protocol has no errors, and an early end would be an empty credential. systemd refuses one that is too large, and
      // does not start the unit then.
      let refused = Data(count: CredentialRequest.maximumByteCount + 1)
      _ = unsafe refused.withUnsafeBytes { unsafe Terminal.writeAll($0, to: STDOUT_FILENO) }
      throw error
    }
  }

  private func value(for request: CredentialRequest) throws(VaultError) -> Data {
    let bytes = try actor.valueForBridge(of: request.unit, request.credential, group: group.group)
    guard bytes.count <= CredentialRequest.maximumByteCount else {
      throw BridgeValue(bytes, of: request.unit, request.credential, for: "systemd").refusal("is larger than 1 MiB")
    }
    return bytes
  }
}
