internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Keep the whole vault in one encrypted file, and restore it without a remote.",
    discussion: """
      `coffer backup FILE` is `coffer backup create FILE`. A backup has every item, its history and the membership log, as a \
      remote has them, and opens with the vault key only. Items that never leave a machine are not in it.

      coffer backup vault.coffer
      coffer backup check vault.coffer
      coffer backup restore vault.coffer
      """,
    subcommands: [
      BackupCreateCommand.self, BackupCheckCommand.self, BackupRestoreCommand.self, BackupScheduleCommand.self,
    ],
    defaultSubcommand: BackupCreateCommand.self)
}

struct BackupCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Write a backup of the vault to a file.",
    discussion: """
      The file has what this machine has, sent or not, without items that never leave it. It is written beside an earlier \
      backup of the same name, read back and verified as a new machine does it, and takes its place only then. Needs neither \
      a remote nor a passphrase.

      The file opens with the vault key. With --passphrase, it also carries the vault key, sealed under a passphrase that you \
      choose: then the file and the passphrase suffice. Choose a long one, because whoever gets the file can try out \
      passphrases for years.

      If the store is damaged, or lacks a part of the vault, nothing is written. With --despite-damage, the rest is written, and what is left out is named.

      A backup of another vault is replaced only if you say so on the terminal, or with --replace-other.

      Exit codes: 0 done, 2 if the file exists and is no backup of this vault, 6 if the store is damaged or lacks something, also if a backup was written despite that.

      With --keep, the argument is a folder: a backup under a new name is added to it, and only the newest of this machine stay. \
      `coffer backup schedule` does that by itself.

      coffer backup /media/usb/vault.coffer
      coffer backup create --passphrase vault.coffer
      coffer backup create --keep 7 /media/usb/backups
      """)
  @Argument(help: "The file. An earlier backup of the vault is replaced, and nothing else.", completion: .file())
  var file: String
  @Flag(help: "Put the vault key into the file, sealed under a passphrase.")
  var passphrase = false
  @OptionGroup var backupPassphrase: BackupPassphraseOptions
  @OptionGroup var vaultKey: VaultKeyOptions
  @Flag(help: "Leave out what is damaged in the store, and name it.")
  var despiteDamage = false
  @Flag(help: "Replace the file also if it is a backup of another vault.")
  var replaceOther = false
  @Option(help: ArgumentHelp("Add a backup to a folder, and keep this number of them.", valueName: "number"))
  var keep: Int?
  @OptionGroup var output: ReportOptions
  @OptionGroup var owner: PassphraseOptions

  func validate() throws {
    if let keep {
      guard (1...1_000).contains(keep) else { throw ValidationError("--keep must be a number from 1 to 1000") }
      if sealsKey || despiteDamage || replaceOther {
        throw ValidationError("--keep cannot be combined with --passphrase, --despite-damage and --replace-other")
      }
    }
    guard !sealsKey else { return }
    if vaultKey.vaultKeyFile != nil { throw ValidationError("--vault-key-file requires --passphrase") }
    if owner.passphraseFile != nil { throw ValidationError("--passphrase-file requires --passphrase") }
  }

  private var sealsKey: Bool { passphrase || backupPassphrase.backupPassphraseFile != nil }

  func run() throws {
    let folder = VaultFolder(try .standard())
    let key = try sealsKey ? sealedKey(LocalVault.open(folder)) : nil
    var answer = try create(
      in: folder, replaceOther ? ["--replace-other"] : Terminal.isInput ? ["--names-other"] : [], key)
    if let found = try? JSONDecoder().decode(OtherBackup.self, from: answer) {
      let name = Output.cell(file)
      try Confirmation.ask(
        after: [
          "\(name) is a backup of another vault, \(Output.cell(found.otherVault)). It may be the only one of that."
        ],
        question: "Replace it?")
      answer = try create(in: folder, ["--replace-other"], key)
    }
    let report = try JSONDecoder().decode(BackupReport.self, from: answer)
    if output.json { try printJSON(report) } else { try print(report) }
    if !report.missing.isEmpty { throw ExitCode(6) }
  }

  /// What `coffer-sync` prints in place of a report.
  private struct OtherBackup: Decodable {
    let otherVault: String
  }

  private func create(in folder: VaultFolder, _ options: [String], _ key: [UInt8]?) throws -> Data {
    try SyncProgram.run(
      ["backup", "create", "--vault", folder.path] + (key == nil ? [] : ["--key-on-input"])
        + (despiteDamage ? ["--despite-damage"] : []) + options + (keep.map { ["--keep", "\($0)"] } ?? []) + [
          "--", file,
        ],
      input: key)
  }

  /// Seals the vault key, which this machine may still keep, under the passphrase of the backup.
  private func sealedKey(_ local: LocalVault) throws -> [UInt8] {
    try local.forgetReplacedVaultKey()
    let key =
      try vaultKey.vaultKeyFile == nil && local.keepsVaultKey
      ? KeptVaultKey.read(in: local, passphrase: owner.source(of: local))
      : vaultKey.key(of: local, because: "The backup is to carry the vault key.")
    // From a file, it may be wrong, and the backup would never open.
    _ = try VaultKeyCheck.begin(in: local).root(openedBy: key)
    return try BackupCheck.seal(key, of: local, passphrase: backupPassphrase.readNew())
  }

  private func printJSON(_ report: BackupReport) throws {
    try Output.json(object: [
      "path": report.path, "byteCount": report.byteCount, "time": report.time, "itemCount": report.itemCount,
      "localItemCount": report.localItemCount, "membershipEntries": report.membershipEntries,
      "hasVaultKey": report.hasVaultKey, "missing": report.missing, "notes": report.notes,
    ])
  }

  private func print(_ report: BackupReport) throws {
    let contents =
      "\(counted(report.itemCount, "item")) and \(counted(report.membershipEntries, "entry", "entries")) of the membership log"
    let place = "\(Output.cell(report.path)), with \(report.byteCount.byteCountText)"
    if report.missing.isEmpty {
      try Output.line(
        """
        \(contents) are in \(place). It was read back and verified.
        It opens with the vault key\(report.hasVaultKey ? ", or with its passphrase" : "; keep the two in different places").
        """)
    } else {
      try Output.line(
        "The backup is not complete. \(contents) are in \(place). Repair the store with `coffer check --repair`, and back it up again."
      )
    }
    if report.localItemCount > 0 {
      try Output.line(
        "Not in it: \(counted(report.localItemCount, "item")) that never \(report.localItemCount == 1 ? "leaves" : "leave") this machine."
      )
    }
    for note in report.notes { try Output.line("Note: \(Output.cell(note)).") }
    for line in report.missing { try Output.line("Missing: \(Output.cell(line))") }
  }
}

/// The passphrase of a backup that carries the vault key.
struct BackupPassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read the passphrase of the backup from a file instead of asking for it.", valueName: "file"),
    completion: .file())
  var backupPassphraseFile: String?

  private static let maximumByteCount = 1_024
  /// The file of a backup is where others may get it, and can be tried out for years.
  private static let minimumByteCount = 12
  private static let what = "the passphrase of the backup"
  private static let otherwise = "give --backup-passphrase-file"

  /// Reads the passphrase if a file contains it; nil otherwise.
  func readFile() throws(VaultError) -> SecretText? {
    try backupPassphraseFile.map { (path) throws(VaultError) in
      try SecretInput.file(path, limit: Self.maximumByteCount, what: "passphrase")
    }
  }

  /// Reads a passphrase for a new backup, from the file or typed twice. Throws `invalidArgument` for a short one.
  func readNew() throws(VaultError) -> SecretText {
    let passphrase =
      if let given = try readFile() {
        given
      } else {
        try Terminal.askTwice(
          "New passphrase for the backup", for: Self.what, otherwise: Self.otherwise,
          ifDifferent: "the two passphrases differ; nothing was written")
      }
    guard (Self.minimumByteCount...Self.maximumByteCount).contains(passphrase.count) else {
      throw VaultError(
        .invalidArgument,
        "the passphrase of a backup has \(Self.minimumByteCount) to \(Self.maximumByteCount) bytes: whoever gets the file can try out shorter ones",
        recoverySuggestion: "choose another one, such as five random words; nothing was written")
    }
    return passphrase
  }

  /// Passes the vault key of a backup to `body`: the given one, the one that the backup carries under its passphrase,
  /// or one that is asked for, as ``VaultKeyFile/ask(_:)``. Throws `invalidArgument` for a passphrase of a backup that
  /// has none.
  func readVaultKey<Result>(
    of backup: UnpackedBackup, given key: VaultKey?, _ body: (VaultKey) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    if let key { return try body(key) }
    if backup.key != nil {
      return try read { (passphrase) throws(VaultError) in
        try body(BackupCheck.vaultKey(in: backup, passphrase: passphrase))
      }
    }
    guard backupPassphraseFile == nil else {
      throw VaultError(
        .invalidArgument, "the backup has no passphrase: it does not carry the vault key",
        recoverySuggestion: "give the vault key with --vault-key-file")
    }
    return try VaultKeyFile.ask(body)
  }

  /// Passes the passphrase to `body`: that of the file once, or up to three that are asked for while `body` throws
  /// `authenticationFailed`. Throws `locked` if nobody can be asked.
  private func read<Result>(_ body: (SecretText) throws(VaultError) -> Result) throws(VaultError) -> Result {
    if let passphrase = try readFile() { return try body(passphrase) }
    return try Terminal.askRepeatedly("Passphrase of the backup", for: Self.what, otherwise: Self.otherwise, body)
  }
}
