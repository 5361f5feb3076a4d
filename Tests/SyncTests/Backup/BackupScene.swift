import CofferTestSupport
import Foundation
import Testing

/// Backups of machines, and new machines on which they are restored.
struct BackupScene {
  /// The folder for backups, as on a disk of its own.
  let disk: TemporaryDirectory
  /// The file with the vault key.
  let key: String

  init(key: String) throws {
    disk = try TemporaryDirectory()
    self.key = key
  }

  var file: String { disk.path("vault.coffer") }

  /// The names of the files on the disk.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted() }
  }

  func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file)) }

  func write(_ bytes: Data, to name: String = "altered") throws -> String {
    let path = disk.path(name)
    try bytes.write(to: URL(fileURLWithPath: path))
    return path
  }

  /// The arguments that restore a backup.
  func restoration(of file: String? = nil, named name: String = "phoenix", _ options: [String] = []) -> [String] {
    ["backup", "restore", "--name", name, "--no-passphrase", "--vault-key-file", key] + options + [file ?? self.file]
  }

  /// Restores the backup on a new machine.
  func restore(named name: String = "phoenix", _ options: String...) throws -> Machine {
    let machine = try Machine()
    try machine.succeed("coffer", restoration(named: name, options))
    return machine
  }

  /// Expects that a command is refused and leaves nothing on a new machine.
  func expectRefused(
    _ file: String, _ words: String, exitCodes: Set<Int32> = [2, 6], location: SourceLocation = #_sourceLocation
  ) throws {
    let machine = try Machine()
    for arguments in [restoration(of: file), ["backup", "check", "--vault-key-file", key, file]] {
      let outcome = try machine.start("coffer", arguments).wait()
      #expect(
        outcome.exitCode.map(exitCodes.contains) == true && outcome.errors.contains(words), "\(outcome)",
        sourceLocation: location)
      #expect(machine.files().isEmpty, "\(machine.files())", sourceLocation: location)
    }
  }
}

extension Machine {
  /// Returns the report of `coffer backup check --json`.
  func backupReport(of file: String, _ options: String..., exitCode: Int32 = 0) throws -> [String: Any] {
    let outcome = try start("coffer", ["backup", "check", "--json"] + options + [file]).wait()
    try #require(outcome.exitCode == exitCode, "\(outcome)")
    return try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
  }
}
