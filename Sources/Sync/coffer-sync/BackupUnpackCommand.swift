internal import ArgumentParser
internal import CofferExchange
internal import CofferGit
internal import CofferPlatform
internal import CofferVault

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
