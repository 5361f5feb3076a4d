internal import ArgumentParser
internal import Coffer
internal import CofferVault
internal import CofferFormat
internal import Foundation

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a new vault on this machine.",
    discussion: """
      Prints the vault key once: with it you bring the vault to another machine and recover everything. It is stored \
      nowhere. Keep it on paper or in another password store.
      """)
  @OptionGroup var machine: MachineNameOptions
  @Option(
    help: ArgumentHelp(
      "Write the vault key into this file (mode 0600; it must not exist) instead of printing it.", valueName: "file"),
    completion: .file())
  var vaultKeyFile: String?
  @OptionGroup var protection: ProtectionOptions

  func run() throws {
    let location = try VaultLocation.standard()
    // Fails before anything is asked where there is a vault already.
    try StagingFolder.checkVacant(location)
    let keyFile = vaultKeyFile
    let protection = try protection.protection()
    var wroteKeyFile = false
    defer {
      // The vault of this key never came to be, for instance because another program made one at the same moment.
      if wroteKeyFile, let keyFile { VaultKeyFile.remove(keyFile) }
    }
    try VaultCreation.create(at: location, deviceName: machine.chosen, protection: protection) {
      (key) throws(VaultError) in
      if let keyFile {
        try VaultKeyFile.write(key, to: keyFile)
        wroteKeyFile = true
      } else {
        try Output.line(
          """
          Your vault key, shown this once:

              \(key.text)

          It enrols another machine (coffer clone) and recovers everything. Whoever has it owns the vault.
          Coffer does not keep it. If it is lost, the machines that you have go on working, but no machine
          can be added with it, and if they are lost too, nobody can open the vault again.
          """)
      }
    }
    wroteKeyFile = false
    let status = try VaultStatus.read(from: LocalVault.open(VaultFolder(location)))
    let head = "A new vault of team \(status.team) is at \(status.path)."
    if let keyFile {
      try Output.line(
        """
        \(head)
        The vault key is in \(keyFile): move it to a safe place. Whoever has it owns the vault. If it is lost,
        no machine can be added with it, and if your machines are lost too, nobody can open the vault again.
        """)
    } else {
      try Output.line("\n\(head)")
    }
    try Output.line("Next: coffer app add FILE.entitlements, and coffer remote set URL to take it along.")
  }
}

/// A vault key in a file.
enum VaultKeyFile {
  /// Writes a key into a new file that only its owner may read, durably.
  static func write(_ key: VaultKey, to path: String) throws(VaultError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST {
        throw VaultError(
          .invalidArgument, "\(path) exists already, and a vault key never overwrites a file; no vault was made",
          mend: "name a new file")
      }
      throw systemFailure("write the vault key to \(path)")
    }
    let text = Array((key.text + "\n").utf8)
    let written = unsafe Foundation.write(descriptor, text, text.count)
    guard written == text.count, fsync(descriptor) == 0 else {
      let error = systemFailure("write the vault key to \(path)")
      close(descriptor)
      remove(path)
      throw error
    }
    close(descriptor)
  }

  /// Takes back a file that ``write(_:to:)`` made.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Reads a key from a file, or asks for it on the terminal.
  static func read(_ path: String?) throws(VaultError) -> VaultKey {
    let bytes =
      if let path {
        try SecretInput.file(path, limit: 256, what: "vault key")
      } else {
        try Terminal.askHidden("Vault key", for: "the vault key", otherwise: "give --vault-key-file")
      }
    do throws(VaultKey.ParseError) {
      return try VaultKey(parsing: String(decoding: bytes, as: UTF8.self))
    } catch .mistyped {
      throw VaultError(
        .authenticationFailed, "the vault key is mistyped: its check does not match",
        mend: "compare it with what you wrote down")
    } catch {
      throw VaultError(
        .authenticationFailed, "this is no vault key", mend: "it has the form COFFER1-XXXX-… with eight groups of four")
    }
  }
}
