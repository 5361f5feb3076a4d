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
    [program(installation), user(installation)]
  }

  private static func program(_ installation: BridgeInstallation) -> ProgramSetting {
    installation.program("coffer-kubectl-credential")
  }

  private static func user(_ installation: BridgeInstallation) -> KubectlUserSetting {
    KubectlUserSetting(user: installation.name, program: program(installation).path)
  }

  static func installedName() throws(VaultError) -> String? {
    try user(BridgeInstallation(self, app: nil, group: nil, name: nil)).installedNames().first
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
    let text = CurrentProcess.variable("KUBERNETES_EXEC_INFO") ?? ""
    let request = try? JSONDecoder().decode(Request.self, from: Data(text.utf8))
    return request?.apiVersion ?? KubectlUserSetting.version
  }
}

/// A user in the configuration of kubectl whose credentials come from a program.
struct KubectlUserSetting: BridgeSetting {
  let user: String
  let program: String

  /// The version of the protocol that every kubectl since 1.11 knows.
  static let version = "client.authentication.k8s.io/v1beta1"

  private struct Configuration: Decodable {
    struct User: Decodable {
      struct Settings: Decodable {
        struct Program: Decodable {
          let command: String?
          let args: [String]?
        }

        let exec: Program?
      }

      let name: String
      let user: Settings?
    }

    let users: [User]?
  }

  var place: String { Self.place(of: user) }
  var wanted: String { "\(program) \(user)" }

  private static func place(of user: String) -> String { "user \(user) in the configuration of kubectl" }

  func current() throws(VaultError) -> String? {
    try users().contains { $0.name == user && isOwn($0) } ? wanted : nil
  }

  func checkIsFree() throws(VaultError) {
    guard Self.isInstalled else { throw Self.missing }
    guard let other = try users().first(where: { $0.name == user }), !isOwn(other) else { return }
    throw VaultError(
      .invalidArgument, "kubectl has a user \(user.sanitizedForTerminal()) already; nothing was changed",
      recoverySuggestion: "give another name with --name")
  }

  func write() throws(VaultError) {
    try Self.change([
      "set-credentials", "--exec-command=\(program)", "--exec-arg=--", "--exec-arg=\(user)",
      "--exec-api-version=\(Self.version)", "--", user,
    ])
  }

  func present() throws(VaultError) -> [String] { try installedNames().map(Self.place(of:)) }

  func installedNames() throws(VaultError) -> [String] { try users().filter(isOwn).map(\.name) }

  func remove() throws(VaultError) {
    for found in try users() where isOwn(found) { try Self.change(["delete-user", "--", found.name]) }
  }

  private func isOwn(_ user: Configuration.User) -> Bool {
    user.user?.exec?.command == program && user.user?.exec?.args == ["--", user.name]
  }

  private func users() throws(VaultError) -> [Configuration.User] {
    let isConfigured = CurrentProcess.variable("KUBECONFIG")?.isEmpty == false
    guard Self.isInstalled, isConfigured || !isAbsent(Self.file.path) else { return [] }
    let (exit, output) = try Self.run(["view", "--output=json"])
    guard exit == .code(0), let found = try? JSONDecoder().decode(Configuration.self, from: Data(output)) else {
      let several = CurrentProcess.variable("KUBECONFIG")?.contains(":") == true
      guard several else { throw Self.file.unusable("cannot be read by kubectl") }
      throw VaultError(
        .io, "a file of KUBECONFIG could not be read by kubectl",
        recoverySuggestion: "find and repair it with: kubectl config view")
    }
    return found.users ?? []
  }

  private static var file: UserFile { .named(by: "KUBECONFIG", or: .home(".kube/config")) }

  private static var isInstalled: Bool { ProgramSetting.find("kubectl") != nil }

  private static var missing: VaultError {
    VaultError(.io, "kubectl is not installed", recoverySuggestion: "install kubectl, then try again")
  }

  private static func change(_ arguments: [String]) throws(VaultError) {
    guard try run(arguments).exit == .code(0) else {
      throw VaultError(
        .io, "the configuration of kubectl could not be changed",
        recoverySuggestion: "see why with: kubectl config view")
    }
  }

  private static func run(_ arguments: [String]) throws(VaultError) -> (exit: ChildProcess.Exit, output: [UInt8]) {
    do throws(SystemError) {
      return try ChildProcess.output(of: "kubectl", arguments: ["config"] + arguments)
    } catch {
      throw missing
    }
  }
}
