import CofferFormat
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation

/// Two admins, the laptop and the desktop, and a member that has one of both example apps.
struct MemberMachines {
  static let other = "com.example.photo.free"

  let remote: TemporaryRemote
  let laptop: Machine
  let desktop: Machine
  let member: Machine
  let key: String

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let machines = try MemberMachines(protection: { _ in ["--no-passphrase"] })
    machines.deleteAtExit()
    return machines
  }

  /// Copies machines that were enrolled once. None of them has a passphrase.
  init() throws { try self.init(copying: unsafe Self.template.get()) }

  /// Enrols the member with a passphrase.
  init(passphrase: String) throws {
    try self.init { ["--passphrase-file", try $0.directory.write("passphrase", passphrase)] }
  }

  private init(protection: (Machine) throws -> [String]) throws {
    let two = try TwoMachines()
    (remote, laptop, desktop, key) = (two.remote, two.laptop, two.desktop, two.key)
    member = try Machine()
    let protection = try protection(member)
    try member.succeed(
      "coffer",
      ["clone", "--member", "--app", app, "--name", "ci", "--vault-key-file", key] + protection + [remote.path])
    try sync(laptop, desktop)
  }

  /// Copies all machines and the remote with their state, which takes less time than to make them.
  init(copying other: MemberMachines) throws {
    let two = try TwoMachines(copying: TwoMachines(other.remote, other.laptop, other.desktop, key: other.key))
    (remote, laptop, desktop, key) = (two.remote, two.laptop, two.desktop, two.key)
    member = try other.member.copied(syncingWith: remote)
  }

  /// Deletes the folders when the test process ends. For machines that a static property holds.
  func deleteAtExit() {
    TwoMachines(remote, laptop, desktop, key: key).deleteAtExit()
    member.directory.deleteAtExit()
  }

  /// Syncs machines without any problem.
  func sync(_ machines: Machine...) throws { for machine in machines { try machine.sync() } }

  /// Runs a command as the holder of the vault key.
  @discardableResult
  func asRoot(on machine: Machine, _ arguments: String...) throws -> Machine.Outcome {
    try machine.start("coffer", arguments + ["--vault-key-file", key]).wait()
  }

  /// The path of the member's passphrase.
  var passphraseFile: String { member.directory.path("passphrase") }
}

extension Machine {
  /// The file of an app's credential.
  func credential(of application: String) throws -> URL {
    vault.appending(path: "apps/\(try local.application(named: application))/credential")
  }

  /// The names of the machines in the vault, each with its role.
  func roles() throws -> [String: String] {
    struct Row: Decodable {
      let name: String
      let isAdmin: Bool
    }
    let rows = try JSONDecoder().decode([Row].self, from: Data(coffer("device", "list", "--json").utf8))
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.isAdmin ? "admin" : "member") })
  }
}
