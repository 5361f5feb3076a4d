import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation

/// A machine without a home folder, a desktop and a vault, which reads two machines' vault with a headless credential
/// of the free app.
struct HeadlessMachine {
  static let freeApp = "com.example.photo.free"
  static let purchases = "com.example.photo.purchases"

  let remote: TemporaryRemote
  let laptop: Machine
  let desktop: Machine
  let key: String
  let runner: Machine
  /// The path of the credential.
  var credential: String { runner.directory.path("credential") }

  /// Makes the machines, and the credential `ci` unless that is left out.
  init(withCredential: Bool = true) throws {
    let two = try TwoMachines()
    (remote, laptop, desktop, key) = (two.remote, two.laptop, two.desktop, two.key)
    runner = try Self.makeRunner()
    try laptop.set("own", "of the paid app")
    try laptop.coffer("set", "service", "token", "--app", Self.freeApp, input: "of the free app")
    try laptop.coffer("set", "service", "marker", "--app", app, "--group", Self.purchases, input: "bought")
    try laptop.sync()
    if withCredential {
      try laptop.coffer("device", "create", "--name", "ci", "--apps", Self.freeApp, "--read-only", "--out", credential)
    }
    try desktop.sync()
  }

  private init(_ two: TwoMachines, runner: Machine) {
    (remote, laptop, desktop, key) = (two.remote, two.laptop, two.desktop, two.key)
    self.runner = runner
  }

  // Each is made once, and its files are only copied.
  nonisolated(unsafe) private static let templates = [true, false].map { withCredential in
    Result {
      let machines = try HeadlessMachine(withCredential: withCredential)
      TwoMachines(machines.remote, machines.laptop, machines.desktop, key: machines.key).deleteAtExit()
      machines.runner.directory.deleteAtExit()
      return machines
    }
  }

  /// Returns copies of machines that were made before, which takes less time than to make them.
  static func copy(withCredential: Bool) throws -> HeadlessMachine {
    let template = try unsafe templates[withCredential ? 0 : 1].get()
    let two = TwoMachines(template.remote, template.laptop, template.desktop, key: template.key)
    let copy = HeadlessMachine(try TwoMachines(copying: two), runner: try makeRunner())
    if withCredential { try Command.run("cp", "-a", template.credential, copy.credential) }
    return copy
  }

  private static func makeRunner() throws -> Machine {
    let runner = try Machine()
    // No home, no place for temporary files, no D-Bus, no terminal.
    runner.environment = ["LANG": "C.UTF-8", "TMPDIR": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"]
    return runner
  }

  /// Runs a program with the credential.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of `coffer`, or of another program.
  ///   - program: The program.
  ///   - repository: The repository; nil for the remote.
  ///   - input: Standard input.
  ///   - extra: Variables of the environment in place of the usual ones.
  /// - Returns: The outcome.
  /// - Throws: An error if the program cannot be started.
  @discardableResult
  func run(
    _ arguments: String..., program: String = "coffer", from repository: String? = nil, input: String = "",
    environment extra: [String: String] = [:]
  ) throws -> Machine.Outcome {
    let variables = ["COFFER_CREDENTIAL_FILE": credential, "COFFER_REPOSITORY": repository ?? remote.path]
    return try runner.start(
      program, arguments, input: Data(input.utf8), environment: variables.merging(extra) { $1 }
    ).wait()
  }

  /// Makes a bare clone of the remote that nobody may write.
  func cloneReadOnly(_ name: String = "clone.git") throws -> String {
    let path = runner.directory.path(name)
    try Command.run("git", "clone", "--quiet", "--bare", remote.path, path)
    try Command.run("chmod", "-R", "a-w", path)
    return path
  }

  /// Creates a credential whose entries state times in the past.
  ///
  /// - Parameters:
  ///   - created: When it was created, in days before now.
  ///   - expired: When it has expired, in days before now.
  /// - Throws: The errors of the creation.
  func createExpired(created: Int64 = 100, expired: Int64 = 10) throws {
    try write(laptop.makeHeadlessCredential(of: Self.freeApp, created: created, expired: expired))
    try laptop.sync()
  }

  /// Replaces the credential.
  func write(_ text: [UInt8], permissions: Int = 0o600) throws {
    try? FileManager.default.removeItem(atPath: credential)
    try Data(text).write(to: URL(fileURLWithPath: credential))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: credential)
  }

  /// The bytes of the credential.
  var text: [UInt8] { get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: credential))) } }

  /// What the credential has.
  var keys: HeadlessCredential { get throws { try HeadlessCredential(secretText: text) } }
}

extension Machine {
  /// Creates a headless credential of an app, whose entries state times in the past and are not published yet.
  ///
  /// - Parameters:
  ///   - name: The name of its machine.
  ///   - application: The bundle identifier of the app.
  ///   - created: When it was created, in days before now.
  ///   - expired: When it has expired, in days before now.
  /// - Returns: Its text.
  /// - Throws: The errors of the creation.
  func makeHeadlessCredential(named name: String = "ci", of application: String, created: Int64, expired: Int64) throws
    -> [UInt8]
  {
    func time(_ days: Int64) -> Timestamp {
      Timestamp(microseconds: Timestamp.now.microseconds - days * 86_400_000_000)
    }
    let local = try local
    let request = HeadlessCreation.Request(
      name: name, applications: [try local.application(named: application)], expires: time(expired))
    let new = try HeadlessCreation(in: local, passphrase: .unavailable).run(request, at: time(created))
    return unsafe new.credential.text.withBytes { unsafe Array($0) }
  }
}

extension Machine.Outcome {
  /// Whether a program with a headless credential has said no more on standard error than which state of the vault it
  /// has read.
  var isQuiet: Bool {
    errors.wholeMatch(of: /coffer: read the vault up to entry [0-9]+ of its membership log; head phrase: [a-z-]+\n/)
      != nil
  }
}
