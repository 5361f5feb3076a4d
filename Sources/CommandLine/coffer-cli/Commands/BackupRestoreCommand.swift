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
  @OptionGroup var output: ReportOptions

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
      location: location, machine: machine, protection: protection, allowsLogFork: claims.allowsLogFork, arguments: [])
    try VaultCreation.checkDeviceName(machine.chosen)
    let key = try vaultKey.readFile()
    if key == nil, backupPassphrase.backupPassphraseFile == nil { try VaultKeyFile.checkCanAsk() }
    let known = try protection.protectionWithoutPrompt()
    let backup = try BackupFile(path: file).unpack(into: staging.folder)
    FaultPoint.reached(.backupUnpacked)
    let (report, enrolment, opened) = try verify(backup, key, in: staging.folder)
    let outcome = try clone.run(enrolment, in: staging, known) {
      // Perhaps nobody has it but the backup, which another one may replace.
      if key == nil, backup.key != nil { try enrolment.keep(opened) }
      try SyncProgram.run(["remote", "remove", "--vault", staging.folder.path], for: .program)
      try translatingErrors { try removeTree(backup.repository) }
    }
    try show(report, outcome)
    try LocalVault.open(VaultFolder(location)).printKeptKeyNote()
  }

  /// Verifies everything, and begins to enrol this machine. Also returns the vault key.
  private func verify(
    _ backup: UnpackedBackup, _ key: VaultKey?, in staging: VaultFolder
  ) throws(VaultError) -> (BackupCheck.Report, Enrolment, VaultKey) {
    let check = try BackupCheck.begin(backup, from: file, in: staging)
    func begin(_ key: VaultKey) throws(VaultError) -> (BackupCheck.Report, Enrolment, VaultKey) {
      let report = try check.run(vaultKey: key, headPhrase: headPhrase)
      return (report, try Enrolment.begin(in: staging, vaultKey: key, headPhrase: headPhrase), key)
    }
    return try backupPassphrase.readVaultKey(of: backup, given: key, begin)
  }

  private func show(_ report: BackupCheck.Report, _ outcome: VaultClone.Outcome) throws {
    let status = outcome.status
    guard !output.json else {
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
    try Output.line("The vault has no remote. Next, with a new, empty repository: coffer remote set URL && coffer sync")
  }
}

struct BackupCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check whether a backup is whole, and can be restored.",
    discussion: """
      Reads the whole file. On a machine of the vault, or with the vault key or the passphrase of the backup, verifies \
      everything that `coffer backup restore` does, and shows which machine has made the backup, when, and what is in it. \
      Without a key, only finds out whether the file was damaged: whoever can write to it could have replaced it by another \
      one.

      Changes nothing. Exit codes: 0 if nothing is wrong, 2 if it is no backup, 5 for a wrong key, 6 if it is damaged or not complete, or \
      if this machine knows that its machine was removed since or that it has another branch of the membership log.

      coffer backup check vault.coffer
      coffer backup check --ask vault.coffer
      """)
  @Argument(help: "The file.", completion: .file())
  var file: String
  @Flag(help: "Ask for the passphrase of the backup or, if it has none, for the vault key.")
  var ask = false
  @OptionGroup var vaultKey: VaultKeyOptions
  @OptionGroup var backupPassphrase: BackupPassphraseOptions
  @OptionGroup var output: ReportOptions

  /// How a backup was verified.
  private enum Proof: String, Encodable {
    case vaultKey, machine
  }

  func run() throws {
    let location = try VaultLocation.standard()
    let folder = VaultFolder(location)
    let key = try vaultKey.readFile()
    let staging = try StagingFolder.create(for: location, isRebuild: true)
    defer { extendLifetime(staging) }
    let backup = try BackupFile(path: file).unpack(into: staging.folder)
    let check = try BackupCheck.begin(backup, from: file, in: staging.folder)
    let device = check.deviceFile(in: folder)
    let usesKey = ask || key != nil || backupPassphrase.backupPassphraseFile != nil
    guard usesKey || device != nil else { return try show(backup) }
    func run(_ key: VaultKey) throws(VaultError) -> BackupCheck.Report {
      try check.run(vaultKey: key, comparedWith: folder)
    }
    if let device, !usesKey {
      return try show(try check.run(device: device, comparedWith: folder), backup, .machine)
    }
    let report = try backupPassphrase.readVaultKey(of: backup, given: key, run)
    try show(report, backup, .vaultKey)
  }

  /// Shows what is known without a key.
  private func show(_ backup: UnpackedBackup) throws {
    guard !output.json else {
      return try Output.json(object: [
        "isWhole": true, "byteCount": backup.byteCount, "hasVaultKey": backup.key != nil,
      ])
    }
    try Output.line(
      """
      The file is whole: \(backup.byteCount.byteCountText), \(counted(backup.fileCount, "object")) of a vault.
      Not checked: which machine has made it, when, and whether it can be restored. That takes a key of its vault: run this \
      on a machine of the vault, or add --ask.
      """)
  }

  private func show(_ report: BackupCheck.Report, _ backup: UnpackedBackup, _ proof: Proof) throws {
    if output.json { try printJSON(report, backup, proof) } else { try print(report, backup, proof) }
    if !report.isSound { throw ExitCode(6) }
  }

  private func printJSON(_ report: BackupCheck.Report, _ backup: UnpackedBackup, _ proof: Proof) throws {
    try Output.json(object: [
      "isWhole": true, "byteCount": backup.byteCount, "hasVaultKey": backup.key != nil, "verifiedWith": proof,
      "time": report.time, "machine": report.machine, "logLength": report.logLength, "headPhrase": report.headPhrase,
      "itemCount": report.itemCount, "groups": report.groups, "newestChange": report.newestChange,
      "localItemCount": report.localItemCount, "isComplete": report.isComplete, "problems": report.problems,
      "newerVersionCount": report.comparison?.newerVersionCount, "newerLogCount": report.comparison?.newerLogCount,
      "comparisonFailure": report.comparisonFailure, "isSameBranch": report.comparison?.isSameBranch,
      "isMachineRevoked": report.comparison?.isMachineRevoked,
    ])
  }

  private func print(_ report: BackupCheck.Report, _ backup: UnpackedBackup, _ proof: Proof) throws {
    let now = Date.now
    var rows = [
      ["Made", Output.date(report.time, asOf: now)], ["By", Output.cell(report.machine)],
      ["Items", "\(report.itemCount)"],
    ]
    rows += report.groups.map { ["", "\($0.itemCount) in \(Output.cell($0.name))"] }
    if let newest = report.newestChange { rows.append(["Last change", Output.date(newest, asOf: now)]) }
    rows.append(["Membership log", counted(Int(clamping: report.logLength), "entry", "entries")])
    rows.append(["Head phrase", report.headPhrase])
    if backup.key != nil { rows.append(["Passphrase", "yes: it carries the vault key"]) }
    try Output.table(rows)
    for line in report.problems { try Output.line("Note: \(Output.cell(line))") }
    if report.localItemCount > 0 {
      try Output.line("Not in it: \(counted(report.localItemCount, "item")) that never left the machine.")
    }
    if let failure = report.comparisonFailure {
      Terminal.printNote("It was not compared with the vault of this machine, which cannot be read: \(failure)")
    }
    if let comparison = report.comparison { try print(comparison, report) }
    guard report.isComplete else {
      return Terminal.printError(
        "the backup was made from a damaged store, and lacks something that the vault had; make another one with: coffer backup FILE"
      )
    }
    guard report.isSound else { return }
    switch proof {
    case .vaultKey: try Output.line("It can be restored with this key: everything in it was read and verified.")
    case .machine:
      try Output.line(
        "Everything in it was read and verified. Restoring it takes the vault key, which was not given here.")
    }
  }

  private func print(_ comparison: BackupCheck.Report.Comparison, _ report: BackupCheck.Report) throws {
    let newer = [
      (comparison.newerVersionCount, "current version", "current versions", " of items"),
      (comparison.newerLogCount, "entry", "entries", " of the membership log"),
    ].filter { $0.0 > 0 }.map { counted($0.0, $0.1, $0.2) + $0.3 }
    if !newer.isEmpty {
      try Output.line("This machine has \(newer.joined(separator: " and ")) that the backup does not have.")
    }
    if comparison.isMachineRevoked {
      Terminal.printError(
        "\(Output.cell(report.machine)), which has made the backup, was removed from the vault: a restore would bring it back"
      )
    }
    if !comparison.isSameBranch {
      Terminal.printError("the membership log in the backup is another branch than the one of this machine")
    }
  }
}

/// The file of a backup that is read.
struct BackupFile {
  let path: String

  /// Unpacks the file into a staging folder, with what a clone verifies of it in `incoming`. Throws ``SyncFailure`` if
  /// it is damaged or no backup.
  func unpack(into staging: VaultFolder) throws -> UnpackedBackup {
    let output = try SyncProgram.run(["backup", "unpack", "--into", staging.path, "--", path])
    do {
      return try JSONDecoder().decode(UnpackedBackup.self, from: output)
    } catch {
      throw VaultError(
        .io, "coffer-sync gave no answer",
        recoverySuggestion: "install the version of coffer-sync that belongs to Coffer")
    }
  }
}
