import CofferTestSupport
import Foundation

/// A store of pass with a key of gpg of its own, made by these programs.
final class PasswordStoreScene {
  let machine: Machine
  var store: String { machine.directory.path("store") }

  static let isAvailable = ["gpg", "pass"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }

  init() throws {
    machine = try Machine()
    let keys = machine.directory.path("gnupg")
    try FileManager.default.createDirectory(
      atPath: keys, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    machine.environment["GNUPGHOME"] = keys
    machine.environment["PASSWORD_STORE_DIR"] = store
    try machine.succeed(
      "/usr/bin/gpg",
      [
        "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "Test <test@example.org>", "future-default",
        "default", "never",
      ])
    try machine.succeed("/usr/bin/pass", ["init", "test@example.org"])
  }

  deinit {
    // The agent would outlive the test, and holds files in the folder that is deleted.
    _ = try? machine.run("/usr/bin/gpgconf", "--kill", "all")
  }

  /// Stores an entry with `pass insert`.
  func insert(_ name: String, _ contents: [UInt8]) throws {
    let outcome = try machine.run(
      "/usr/bin/pass", "insert", "--multiline", "--force", name, input: Data(contents))
    guard outcome.exitCode == 0 else { throw SpawnedProgram.Failure(description: "pass insert: \(outcome)") }
  }

  /// Returns what `pass show` prints.
  func shown(_ name: String, in store: String? = nil) throws -> [UInt8] {
    let outcome = try machine.start(
      "/usr/bin/pass", ["show", name], environment: ["PASSWORD_STORE_DIR": store ?? self.store]
    ).wait()
    guard outcome.exitCode == 0 else { throw SpawnedProgram.Failure(description: "pass show: \(outcome)") }
    return [UInt8](outcome.output)
  }
}
