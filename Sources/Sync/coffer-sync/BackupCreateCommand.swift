internal import ArgumentParser
internal import CofferExchange
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

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
