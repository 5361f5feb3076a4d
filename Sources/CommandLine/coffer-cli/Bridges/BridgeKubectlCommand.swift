internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeKubectlCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "kubectl", abstract: "Answer kubectl, which runs this for the credentials of a user (ExecCredential).",
    discussion: """
      Reads the generic password `kubectl` with the user as its account. Its value is a token, or a certificate with its key \
      in PEM form.
      """)
  @Argument(help: "The user in the configuration of kubectl.")
  var user: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "kubectl"
  static let defaultName: String? = "coffer"
  private static let service = "kubectl"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    let program = installation.program("coffer-kubectl-credential")
    return [program, KubectlUserSetting(user: installation.name, program: program.path)]
  }

  static func advice(_ installation: BridgeInstallation) -> [String] {
    [
      "Store the token, or the certificate with its key, with: coffer set \(service) \(installation.name.shellWord)",
      "Use it in a context with: kubectl config set-context NAME --user \(installation.name.shellWord)",
    ]
  }

  private struct Answer: Encodable {
    struct Status: Encodable {
      var token: String?
      var clientCertificateData: String?
      var clientKeyData: String?
    }

    let apiVersion: String
    let kind = "ExecCredential"
    let status: Status
  }

  private struct Request: Decodable {
    let apiVersion: String
  }

  func run() throws {
    let bytes = try actor.valueForBridge(of: Self.service, user, group: group.group)
    try Output.json(
      Answer(apiVersion: Self.version, status: status(BridgeValue(bytes, of: Self.service, user, for: "kubectl"))))
  }

  private func status(_ value: BridgeValue) throws(VaultError) -> Answer.Status {
    let text = try value.text()
    guard text.hasPrefix("-----BEGIN ") else { return Answer.Status(token: try value.textLine()) }
    let blocks = text.matches(
      of: /-----BEGIN ([A-Z0-9 ]+)-----\r?\n[A-Za-z0-9+\/=\r\n]+-----END ([A-Z0-9 ]+)-----\r?\n?/)
    let keys = blocks.filter { $0.output.1.hasSuffix("PRIVATE KEY") }
    let certificates = blocks.filter { $0.output.1 == "CERTIFICATE" }
    guard keys.count == 1, !certificates.isEmpty else {
      throw value.refusal("has no certificate with its key in PEM form, and is no token")
    }
    return Answer.Status(
      clientCertificateData: certificates.map { String($0.output.0) }.joined(), clientKeyData: String(keys[0].output.0))
  }

  /// The version of the answer that kubectl expects.
  private static var version: String {
    let text = CurrentProcess.environment["KUBERNETES_EXEC_INFO"] ?? ""
    let request = try? JSONDecoder().decode(Request.self, from: Data(text.utf8))
    return request?.apiVersion ?? KubectlUserSetting.version
  }
}
