import CofferTestSupport
import Foundation

/// A machine with a passphrase, an app with items under access controls, and an app that was added as locked.
struct ProtectedItems {
  static let passphrase = "correct horse"
  static let password = "sesame"

  let machine: Machine
  let notes: InstalledApp
  let locked: InstalledApp
  /// The file with the items' application password.
  let passwordFile: String

  init() throws {
    machine = try Machine()
    let archive = machine.directory.path("home.tar")
    try Self.home.get().write(to: URL(fileURLWithPath: archive))
    try Command.run("mkdir", "-m", "700", machine.home.path)
    try Command.run("tar", "-C", machine.home.path, "-xpf", archive)
    notes = try InstalledApp("notes", on: machine, isRegistered: false)
    locked = try InstalledApp("locked", on: machine, isRegistered: false)
    passwordFile = try machine.directory.write("password", Self.password)
  }

  /// The machine's `COFFER_HOME` as an archive. It is made once for all tests, because deriving a key from a passphrase
  /// is slow.
  private static let home = Result { try makeHome() }

  private static func makeHome() throws -> Data {
    let machine = try Machine()
    let given = ["--passphrase-file", try machine.directory.write("passphrase", passphrase)]
    let key = machine.directory.path("vault-key")
    try machine.succeed("coffer", ["init", "--name", "laptop", "--vault-key-file", key] + given)
    let notes = try InstalledApp("notes", on: machine, options: given)
    try notes.succeed("add", "open", input: "for everybody")
    // Adding an item under an access control needs no user presence.
    try notes.succeed("--presence", "add", "present", input: "for the owner")
    try notes.succeed("--presence", "add", "present-too", input: "for the owner, too")
    let file = try machine.directory.write("password", password)
    try notes.succeed("--password", "--given", file, "add", "secret", input: "for who has the password")

    let locked = try InstalledApp("locked", on: machine, options: ["--locked"] + given)
    try machine.succeed("coffer", ["set", "service", "jane", "--app", locked.bundleID] + given, input: "v")
    let archive = machine.directory.path("home.tar")
    try Command.run("tar", "-C", machine.home.path, "-cpf", archive, ".")
    return try Data(contentsOf: URL(fileURLWithPath: archive))
  }
}
