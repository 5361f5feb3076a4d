internal import ArgumentParser
internal import CofferExchange
internal import CofferGit
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// What needs git of a backup, for `coffer backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Write and unpack backups for `coffer backup`.", shouldDisplay: false,
    subcommands: [BackupCreateCommand.self, BackupUnpackCommand.self])
}

/// Writes a backup, and prints its report as JSON.
struct BackupCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Write a backup of a vault.", shouldDisplay: false)
  @OptionGroup var options: VaultOptions
  @Flag(help: "Read the sealed vault key from standard input.")
  var keyOnInput = false
  @Flag(help: "Leave out what is damaged.")
  var despiteDamage = false
  @Flag(help: "Replace a backup of another vault.")
  var replaceOther = false
  @Flag(help: "Name the vault of a backup that is another one's, in place of an error.")
  var namesOther = false
  @Option(help: "Add a file to a folder, and keep only this number of them.")
  var keep: Int?
  @Flag(help: "Note how it went for the commands that show the schedule.")
  var scheduled = false
  @Argument(help: "The file or folder.")
  var file: String

  private static let maximumKeyByteCount = 4_096

  func run() throws {
    let key =
      keyOnInput
      ? Descriptor(owning: dup(STDIN_FILENO)).readToEnd(maximumByteCount: Self.maximumKeyByteCount) : nil
    var other: String?
    do {
      let report = try create(key) { other = $0 }
      try StandardOutput.write(translatingErrors { try JSONEncoder().encode(report) })
    } catch {
      guard namesOther, let other else { throw error }
      try StandardOutput.write(translatingErrors { try JSONEncoder().encode(["otherVault": other]) })
    }
  }

  private func create(_ key: [UInt8]?, foundOther: (String) -> Void) throws -> BackupReport {
    let interruption = Interruption.observe()
    let meter = ProgressMeter()
    defer { meter.finish() }
    let creation = try BackupCreation(
      options.folder, cancellation: interruption.cancellation, logger: options.logger, progress: meter.show)
    if let keep { return try creation.run(into: file, keeping: keep, isScheduled: scheduled) }
    return try creation.run(
      to: file, key: key, despiteDamage: despiteDamage, replacesOther: replaceOther, foundOther: foundOther)
  }
}

/// Reads a backup into a staging folder, and prints what it has found as JSON.
struct BackupUnpackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpack", abstract: "Read a backup into a staging folder.", shouldDisplay: false)
  @Option(help: "The folder.")
  var into: String
  @Argument(help: "The file.")
  var file: String

  func run() throws {
    let interruption = Interruption.observe()
    let unpacked: UnpackedBackup
    do {
      let meter = ProgressMeter()
      defer { meter.finish() }
      unpacked = try BackupUnpacking(cancellation: interruption.cancellation) {
        meter.show("reading the backup", $0.receivedObjects, $0.totalObjects)
      }.run(file, into: VaultFolder(URL(fileURLWithPath: into, isDirectory: true)))
    }
    try StandardOutput.write(translatingErrors { try JSONEncoder().encode(unpacked) })
  }
}
