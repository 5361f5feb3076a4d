internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

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

  func present() throws(VaultError) -> [String] { try users().filter(isOwn).map { Self.place(of: $0.name) } }

  func remove() throws(VaultError) {
    for found in try users() where isOwn(found) { try Self.change(["delete-user", "--", found.name]) }
  }

  private func isOwn(_ user: Configuration.User) -> Bool {
    user.user?.exec?.command == program && user.user?.exec?.args == ["--", user.name]
  }

  private func users() throws(VaultError) -> [Configuration.User] {
    let isConfigured = CurrentProcess.environment["KUBECONFIG"]?.isEmpty == false
    guard Self.isInstalled, isConfigured || !isAbsent(Self.file.path) else { return [] }
    let (exit, output) = try Self.run(["view", "--output=json"])
    guard exit == .code(0), let found = try? JSONDecoder().decode(Configuration.self, from: Data(output)) else {
      let several = CurrentProcess.environment["KUBECONFIG"]?.contains(":") == true
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
