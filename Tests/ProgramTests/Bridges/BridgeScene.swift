import CofferTestSupport
import Foundation
import Testing

/// A machine with a vault, and the real clients of bridges.
struct BridgeScene {
  let machine: Machine

  /// Makes a machine that acts as PhotoPro, which needs no passphrase.
  init() throws {
    machine = try Machine.withExamples()
    try prepare()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
  }

  /// Makes a machine without a vault that reads the one of another scene with a headless credential.
  init(headlessOf other: BridgeScene) throws {
    machine = try Machine()
    try prepare()
    machine.environment.merge(try other.machine.makeHeadlessJob()) { $1 }
  }

  private func prepare() throws {
    let environment = ProcessInfo.processInfo.environment
    let folders = [
      machine.directory.path(".local/bin"), DocumentationPage.root.appending(path: ".build/clients/bin").path,
      environment["PATH"] ?? "/usr/bin:/bin", "/usr/sbin",
    ]
    machine.environment["PATH"] = folders.joined(separator: ":")
    // Rustup finds its toolchains in the home folder, which is another one here.
    let rustup = environment["RUSTUP_HOME"] ?? "\(NSHomeDirectory())/.rustup"
    if FileManager.default.fileExists(atPath: rustup) { machine.environment["RUSTUP_HOME"] = rustup }
    for name in ["XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "CARGO_HOME", "KUBECONFIG", "DOCKER_CONFIG"] {
      machine.environment[name] = ""
    }
  }

  var home: String { machine.directory.path }

  func path(_ name: String) -> String { machine.directory.path(name) }

  /// Stores a generic password.
  func set(_ service: String, _ account: String, _ value: Data) throws {
    let outcome = try machine.start("coffer", ["set", service, account, "--allow-empty"], input: value).wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  func set(_ service: String, _ account: String, _ value: String) throws { try set(service, account, Data(value.utf8)) }

  /// Runs a client that `PATH` leads to, in the home folder.
  func run(_ client: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]) throws
    -> Machine.Outcome
  {
    try machine.start(
      "/bin/sh", ["-c", "cd ~ && exec \"$@\"", "sh", client] + arguments, input: Data(input.utf8),
      environment: environment
    ).wait()
  }

  /// Runs a client that must succeed, and returns its output.
  @discardableResult
  func succeed(_ client: String, _ arguments: String..., input: String = "", environment: [String: String] = [:]) throws
    -> String
  {
    let outcome = try run(client, arguments, input: input, environment: environment)
    guard outcome.exitCode == 0 else {
      throw SpawnedProgram.Failure(
        description: "\(client) \(arguments.joined(separator: " ")), see Scripts/bootstrap --with clients: \(outcome)")
    }
    return outcome.text
  }

  /// Installs a bridge.
  func install(_ bridge: String, _ options: String...) throws {
    try machine.succeed("coffer", ["bridge", "install", bridge] + options)
  }

  /// Answers as a client would hear it.
  func answer(_ bridge: String, _ arguments: String..., input: Data = Data()) throws -> Machine.Outcome {
    try machine.start("coffer", ["bridge", bridge] + arguments, input: input).wait()
  }
}

/// A service on loopback that checks the credentials of its clients: `services.py`.
final class CheckingService {
  let port: Int
  private let process: SpawnedProgram
  private let folder: TemporaryDirectory

  /// What has been requested, a line each: method, path and status.
  var requests: [String] {
    ((try? String(contentsOfFile: folder.path("requests"), encoding: .utf8)) ?? "").split(separator: "\n")
      .map(String.init)
  }

  /// Starts a service: sts, cargo or kubernetes.
  init(_ kind: String, secret: String, identity: CertificateAuthority.Identity? = nil) throws {
    folder = try TemporaryDirectory()
    let script = DocumentationPage.root.appending(path: "Tests/ProgramTests/Bridges/services.py").path
    process = try SpawnedProgram(
      ["/usr/bin/python3", script, kind, secret, folder.path] + (identity.map { [$0.certificate, $0.key] } ?? []))
    port = Int(try waitForFile(folder.path("port"))) ?? 0
  }

  deinit { process.end() }
}
