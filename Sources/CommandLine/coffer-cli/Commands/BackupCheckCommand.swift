internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

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
  @Flag(help: "Print JSON.")
  var json = false

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
    let report =
      if let key {
        try run(key)
      } else if backup.key != nil {
        try backupPassphrase.read { (passphrase) throws(VaultError) in
          try run(BackupCheck.vaultKey(in: backup, passphrase: passphrase))
        }
      } else if backupPassphrase.backupPassphraseFile != nil {
        throw VaultError(
          .invalidArgument, "the backup has no passphrase: it does not carry the vault key",
          recoverySuggestion: "give the vault key with --vault-key-file")
      } else {
        try VaultKeyFile.ask(run)
      }
    try show(report, backup, .vaultKey)
  }

  /// Shows what is known without a key.
  private func show(_ backup: UnpackedBackup) throws {
    guard !json else {
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
    if json { try printJSON(report, backup, proof) } else { try print(report, backup, proof) }
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
