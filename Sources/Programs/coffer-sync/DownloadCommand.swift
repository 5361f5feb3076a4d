internal import ArgumentParser
internal import CofferPlatform
internal import CofferVault
internal import CofferGit
internal import CofferExchange

struct DownloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "download", abstract: "Download a vault's sealed objects for `coffer clone`.", shouldDisplay: false)
  @OptionGroup var remote: RemoteAccessOptions
  @Option(help: "The folder to write them to.")
  var into: String
  @Argument(help: "The repository's URL or path.")
  var url: String

  func run() throws {
    let meter = ProgressMeter()
    defer { meter.finish() }
    let interruption = Interruption.observe()
    try VaultDownload(access: remote.access, cancellation: interruption.cancellation, progress: meter.show).run(
      from: url, into: VaultFolder(URL(fileURLWithPath: into, isDirectory: true)))
  }
}
