internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct BackupRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Create the vault of a backup on this machine, without a remote.",
    discussion: """
      For a vault whose machines and remote are lost. If the remote is still there, clone it instead (coffer clone URL): a \
      backup knows nothing of what has happened since, such as the removal of a machine, and the membership logs would \
      differ.

      Everything in the file is verified, as `coffer backup check` does, before anything is created. This machine becomes an \
      admin under keys of its own, and every app gets a credential here. The vault has no remote then: set a new, empty one. \
      If the command is interrupted, run it again.

      coffer backup restore vault.coffer
      coffer remote set URL && coffer sync
      """)
  @Argument(help: "The file.", completion: .file())
  var file: String
  @OptionGroup var backupPassphrase: BackupPassphraseOptions
  @OptionGroup var vaultKey: VaultKeyOptions
  @Option(
    help: ArgumentHelp(
      "Refuse a backup whose membership log has no entry with this head phrase, which `coffer status` prints: it is older.",
      valueName: "words"))
  var headPhrase: Phrase?
  @OptionGroup var machine: MachineNameOptions
  @OptionGroup var protection: ProtectionOptions
  @OptionGroup var claims: ClaimOptions
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if vaultKey.vaultKeyFile != nil, backupPassphrase.backupPassphraseFile != nil {
      throw ValidationError("--vault-key-file and --backup-passphrase-file exclude each other")
    }
  }

  func run() throws {
    let location = try VaultLocation.standard()
    // Everything that can be checked is checked before the user is asked for anything.
    let staging = try StagingFolder.create(for: location)
    let clone = VaultClone(
      location: location, machine: machine, protection: protection, despiteClaims: claims.despiteClaims, arguments: [])
    try VaultCreation.checkDeviceName(machine.chosen)
    let key = try vaultKey.readFile()
    if key == nil, backupPassphrase.backupPassphraseFile == nil { try VaultKeyFile.checkCanAsk() }
    let known = try protection.protectionWithoutPrompt()
    let backup = try BackupFile(path: file).unpack(into: staging.folder)
    FaultPoint.reached(.backupUnpacked)
    let (report, enrolment) = try verify(backup, key, in: staging.folder)
    let outcome = try clone.run(enrolment, in: staging, known) {
      try SyncProgram.run(["remote", "remove", "--vault", staging.folder.path], for: .program)
      try translatingErrors { try FileManager.default.removeItem(atPath: backup.repository) }
    }
    try show(report, outcome)
  }

  /// Verifies everything, and begins to enrol this machine.
  private func verify(
    _ backup: UnpackedBackup, _ key: VaultKey?, in staging: VaultFolder
  ) throws(VaultError) -> (BackupCheck.Report, Enrolment) {
    let check = try BackupCheck.begin(backup, from: file, in: staging)
    func begin(_ key: VaultKey) throws(VaultError) -> (BackupCheck.Report, Enrolment) {
      let report = try check.run(vaultKey: key, headPhrase: headPhrase)
      return (report, try Enrolment.begin(in: staging, vaultKey: key, headPhrase: headPhrase))
    }
    if let key { return try begin(key) }
    if backup.key != nil {
      return try backupPassphrase.read { (passphrase) throws(VaultError) in
        try begin(BackupCheck.vaultKey(in: backup, passphrase: passphrase))
      }
    }
    guard backupPassphrase.backupPassphraseFile == nil else {
      throw VaultError(
        .invalidArgument, "the backup has no passphrase: it does not carry the vault key",
        recoverySuggestion: "give the vault key with --vault-key-file")
    }
    return try VaultKeyFile.ask(begin)
  }

  private func show(_ report: BackupCheck.Report, _ outcome: VaultClone.Outcome) throws {
    let status = outcome.status
    guard !json else {
      return try Output.json(object: [
        "path": status.path, "time": report.time, "machine": report.machine, "itemCount": report.itemCount,
        "localItemCount": report.localItemCount, "isComplete": report.isComplete, "appCount": outcome.appCount,
        "headPhrase": status.headPhrase,
      ])
    }
    if let note = machine.note(on: status, wanted: machine.chosen) { try Output.line(note) }
    try Output.line(
      """
      The vault of team \(status.team) is at \(status.path), as \(Output.cell(report.machine)) had it on \
      \(Output.date(report.time, asOf: .now)): \(counted(report.itemCount, "item")). This machine is an admin, with \
      \(counted(outcome.appCount, "app")) ready.
      Whatever has happened since is not there, such as the removal of a machine: see `coffer device list`, or remove all others \
      with `coffer device revoke --all-others`.
      """)
    if report.localItemCount > 0 {
      try Output.line("Not in the backup: \(counted(report.localItemCount, "item")) that never left the machine.")
    }
    if !report.isComplete { try Output.line("The backup was made from a damaged store, and lacks something.") }
    try Output.line("The vault has no remote. Next: coffer remote set URL && coffer sync")
  }
}
