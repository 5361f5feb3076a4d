internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Create a vault on this machine.",
    discussion: """
      Prints the vault key once. With it you clone the vault on another machine and recover everything. Coffer does not \
      store it: keep it on paper or in another password store.
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
    // If a vault exists, fail before prompting.
    StagingFolder.removeLeftovers(for: location)
    try StagingFolder.checkVacant(location)
    let name = machine.chosen
    try VaultCreation.checkDeviceName(name)
    let keyFile = vaultKeyFile
    if let keyFile { try VaultKeyFile.checkCreatable(keyFile) }
    let protection = try protection.protection()
    var wroteKeyFile = false
    do throws(VaultError) {
      try VaultCreation.create(at: location, deviceName: name, protection: protection) {
        (key) throws(VaultError) in
        if let keyFile {
          try VaultKeyFile.write(key, to: keyFile)
          wroteKeyFile = true
        } else {
          try NewSecret.print(
            key.text, heading: "Your vault key, shown this once",
            explanation: """
              It enrols another machine (coffer clone) and recovers everything. Whoever has it owns the vault.
              Coffer does not store it. If it is lost, your machines continue to work, but no admin's machine
              can be added; if they are lost too, nobody can open the vault again.
              """)
        }
      }
    } catch {
      // The key of a vault that is in place must stay. The vault of `vaultExists` is one of another process.
      if wroteKeyFile, let keyFile, error.code == .vaultExists || !VaultFolder(location).exists {
        VaultKeyFile.remove(keyFile)
      }
      throw error
    }
    let status = try VaultStatus.read(from: LocalVault.open(VaultFolder(location)))
    let head = "A new vault of team \(status.team) is at \(status.path)."
    if let keyFile {
      try Output.line(
        """
        \(head)
        The vault key is in \(keyFile): move it to a safe place. Whoever has it owns the vault. If it is lost,
        no admin's machine can be added; if your machines are lost too, nobody can open the vault again.
        """)
    } else {
      try Output.line("\n\(head)")
    }
    try Output.line("Next: coffer app add FILE.entitlements; to sync between machines: coffer remote set URL")
  }
}

/// The protection of a new machine's keys.
struct ProtectionOptions: ParsableArguments {
  @Flag(
    help:
      "Store this machine's keys without a passphrase: whoever reads the files of an admin's machine can change membership."
  )
  var noPassphrase = false

  @OptionGroup var passphrase: PassphraseOptions

  func validate() throws {
    if noPassphrase && passphrase.passphraseFile != nil {
      throw ValidationError("--no-passphrase and --passphrase-file exclude each other")
    }
  }

  private static let otherwise =
    "give --passphrase-file, set COFFER_PASSPHRASE_FILE, or choose --no-passphrase"

  /// Returns the protection if nobody has to be asked for it: none, or a passphrase from a file; else nil. Throws if
  /// somebody has to be asked and no terminal exists.
  func protectionWithoutPrompt() throws(VaultError) -> AdminProtection? {
    if noPassphrase { return AdminProtection.none }
    if passphrase.path != nil { return try passphraseProtection() }
    try Terminal.checkCanAsk(for: "a passphrase", otherwise: Self.otherwise)
    return nil
  }

  /// Reads the new passphrase, from a file or typed twice at a prompt.
  func protection() throws(VaultError) -> AdminProtection {
    if let protection = try protectionWithoutPrompt() { return protection }
    return try passphraseProtection()
  }

  private func passphraseProtection() throws(VaultError) -> AdminProtection {
    .passphrase(
      try NewPassphrase.read(
        passphrase.path, ifEmpty: "choose --no-passphrase if you want none", otherwise: Self.otherwise))
  }
}
